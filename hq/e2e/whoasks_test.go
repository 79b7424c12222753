//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ferrus/agent/sandbox"
	"ferrus/hq/clients/model"
)

// walls are the kinds of sandbox that these tests may use, with how the session's record describes
// them. Landlock needs a machine, or a mount namespace, without bubblewrap.
var walls = []struct {
	kind     sandbox.Kind
	more     string // value in ferrus.toml
	recorded string // prefix in the session's record
	asks     bool   // asks even with permissions = "auto"
}{
	{sandbox.Namespace, "", "namespace", false},
	{sandbox.Landlock, "", "landlock", true},
	{sandbox.None, "[sandbox]\nmode = \"off\"\n", "none", true},
}

// TestWhoAsks has an executor with permissions = "auto", the default, run a command in each kind of
// sandbox: in a proven namespace sandbox it runs at once, and elsewhere the human is asked first.
// Status names the sandbox, and what can be read if there is none.
func TestWhoAsks(t *testing.T) {
	for _, name := range []string{"claude-code", "qwen-code", "codex"} {
		for _, w := range walls {
			t.Run(fmt.Sprintf("%s/%s", name, w.kind), func(t *testing.T) {
				if here, err := sandbox.Choose(t.Context(), sandbox.Auto, sandbox.Open); err != nil ||
					w.kind != sandbox.None && here.Kind != w.kind {
					t.Skipf("the sandbox here is %s (%v)", here, err)
				}
				b := newFixture(t, setup{supervisor: name, executor: name, more: w.more, script: stamping})
				stop := b.running("run", model.TaskText)
				if w.asks {
					r := b.asked("date | tee stamp")
					if b.exists("stamp") {
						t.Error("the command ran without permission")
					}
					t.Logf("%s wants to %s", r.By, r.Wanted)
					if code, out := b.run("permit", fmt.Sprint(r.Number), "once"); code != 0 {
						t.Fatalf("exit %d: %s", code, out)
					}
				}
				b.until("the command does not run\n"+b.evidence(), func() bool { return b.exists("stamp") })
				if asked := b.world().Permissions; !w.asks && asked != nil {
					t.Errorf("the inbox has requests: %+v, want none", asked)
				}
				if _, out := b.run("status"); strings.Contains(out, "~/.ssh") != (w.kind == sandbox.None) {
					t.Errorf("status does not describe the sandbox correctly:\n%s", out)
				}
				stop()
				b.until("no session has ended", func() bool { return len(b.ended()) > 0 })
				for _, e := range b.ended() {
					if !strings.HasPrefix(e.Sandbox, w.recorded) {
						t.Errorf("the %s ran in %q, want %q", e.Name, e.Sandbox, w.recorded)
					}
				}
			})
		}
	}
}

// stamping returns a loop whose executor first runs a command.
func stamping(c model.Conversation) model.Action {
	if !strings.Contains(c.Prompt, "wait_for_task") || strings.Contains(c.Prompt, "wait_for_review") {
		return model.LoopScript(c)
	}
	ran, claimed := false, false
	for _, turn := range c.Turns {
		ran = ran || strings.Contains(fmt.Sprint(turn.Args), "date | tee stamp")
		claimed = claimed || strings.Contains(turn.Name, "wait_for_task")
	}
	switch {
	case !claimed:
		return c.Call("wait_for_task", nil)
	case !ran:
		return c.Run("date | tee stamp")
	}
	return model.Action{Text: "Done."}
}
