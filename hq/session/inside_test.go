package session

import (
	"testing"

	"ferrus/agent"
)

// A session that only prints has no server, and is in the sandbox all the same.
func TestASessionInsideKnowsIt(t *testing.T) {
	a, err := agent.Lookup("codex", nil)
	if err != nil {
		t.Fatal(err)
	}
	var l agent.Launch
	if (&inside{}).ask(&l, a, Launch{}); !l.Confined {
		t.Error("a session without a server counts as one without a sandbox")
	}
}
