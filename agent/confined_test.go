package agent

import (
	"slices"
	"testing"
)

// What a sandbox replaces is decided by the sandbox. The server's socket says nothing of it: a session of a worker
// has one without a sandbox, and a session that only prints has a sandbox without one.
func TestOnlyTheSandboxReplacesTheVendors(t *testing.T) {
	review := Launch{Role: "supervisor", Mode: "review", Prompt: "p", Workspace: "/w", Project: "/w", Ferrus: "/ferrus"}
	work := review
	work.Role, work.Mode, work.Bypass, work.Conversation = "executor", "work", true, "c"
	for _, c := range []struct {
		agent   string
		launch  Launch
		word    string
		outside bool // the word is there without a sandbox, and not inside; false: the other way round
	}{
		{"codex", review, "--dangerously-bypass-approvals-and-sandbox", false},
		{"qwen-code", review, "QWEN_CODE_SAFE_MODE=1", true},
		{"claude-code", work, "IS_SANDBOX=1", false},
		{"claude-code", work, "--fork-session", true},
	} {
		a, err := Lookup(c.agent, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			l := c.launch
			l.Confined = i&1 != 0
			if i&2 != 0 {
				l.Door = "/door"
			} else {
				l.NoServer = l.Conversation == ""
			}
			inv, err := a.Invoke(l)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Contains(append(inv.Args, inv.Env...), c.word)
			if want := l.Confined != c.outside; got != want {
				t.Errorf("%s, confined %v, door %q: %s is there: %v", c.agent, l.Confined, l.Door, c.word, got)
			}
		}
	}
}
