package conductor

import (
	"errors"
	"testing"

	"ferrus/agent/sandbox"
)

// The notice about the walls says each thing once.
func TestTheNoticeAboutTheWalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		walls sandbox.Walls
		err   error
		want  string
	}{
		{sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Open}, nil, ""},
		{sandbox.Walls{Kind: sandbox.None, Reason: "why", Cure: "do this"}, nil,
			"no sandbox: " + sandbox.Exposed + "; why; do this"},
		{sandbox.Walls{Kind: sandbox.Landlock, Network: sandbox.Open, Reason: "why", Cure: "do this"}, nil,
			"sandbox: landlock (accidents only), network open; why; do this"},
		{sandbox.Walls{}, errors.New("the sandbox is required: why"),
			"checks and agents cannot run: the sandbox is required: why"},
	} {
		if got := wallsNotice(c.walls, c.err); got != c.want {
			t.Errorf("%+v: %q, want %q", c.walls, got, c.want)
		}
	}
}
