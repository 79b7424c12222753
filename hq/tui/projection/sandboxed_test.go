package projection

import (
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/conductor"
)

// The title of a pane says what its session runs in: sessions of one task may differ.
func TestTitleSaysTheWalls(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		sandbox.Walls{Kind: sandbox.Namespace, Network: sandbox.Proxied}.String(): "  in a sandbox",
		sandbox.Walls{Kind: sandbox.Landlock, Network: sandbox.Open}.String():     "  accidents only",
		"none: copilot: its login is in a keychain":                               "  no sandbox",
		"": "",
	} {
		if got := sandboxed(conductor.PaneView{Sandbox: record}); got != want {
			t.Errorf("%q: %q, want %q", record, got, want)
		}
	}
}
