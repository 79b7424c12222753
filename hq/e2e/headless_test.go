//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/agent"
	"ferrus/hq/clients/model"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/scheduler"
	"ferrus/machine"
	"ferrus/store"
)

// TestHeadless opens every kind of session that is usually a conversation, with each client and
// without a human: the request is in its prompt.
func TestHeadless(t *testing.T) {
	for _, name := range players() {
		t.Run(name, func(t *testing.T) {
			var looked atomic.Int32
			b := newFixture(t, setup{supervisor: name, executor: name, script: func(c model.Conversation) model.Action {
				return asked(c, &looked)
			}})
			c, p := b.conductor()
			for i, s := range []struct {
				want  core.Request
				state machine.State
			}{
				{core.Request{Kind: core.ModeFree, Role: machine.Supervisor, Text: look}, "Idle"},
				{core.Request{Kind: core.ModeFree, Role: machine.Executor, Text: look}, "Idle"},
				{core.Request{Kind: core.ModePlan, Text: "Plan the greeting."}, "Idle"},
				{core.Request{Kind: core.ModeSpec, Text: "Specify the farewell."}, "Idle"},
				{core.Request{Kind: core.ModeTask, Text: request}, "Executing"},
			} {
				if err := c.Want(s.want); err != nil {
					t.Fatal(err)
				}
				b.over(p, i+1, s.want.Kind)
				if w := b.world(); w.State != s.state {
					t.Errorf("after the session for %s the task is %s", s.want.Kind, w.State)
				}
			}
			if n := looked.Load(); n != 2 {
				t.Errorf("%d of 2 free sessions got an answer", n)
			}
			if err := c.Close(true); err != nil {
				t.Error(err)
			}
			if complaints := b.server.Complaints(); len(complaints) > 0 {
				t.Errorf("the model's complaints: %q\n%s", complaints, b.evidence())
			}
		})
	}
}

// look is the prompt of a free session: only the human's words.
const (
	look    = "Call `mcp__ferrus__status`. If it is not listed, search for it, or wait a moment. " + lookEnd
	lookEnd = "Then say what it says." // whatever the client names the tool
)

// asked plays an agent that gets every request at once. A session that starts with the task is left
// waiting.
func asked(c model.Conversation, looked *atomic.Int32) model.Action {
	switch {
	case strings.Contains(c.Prompt, lookEnd):
		return c.Once("status", nil, func(result string) model.Action {
			if strings.Contains(result, "Idle") {
				looked.Add(1)
			}
			return model.Action{Text: "It is as it says."}
		})
	case strings.Contains(c.Prompt, "create_spec`"):
		_, subject, _ := strings.Cut(c.Prompt, "<request>\n")
		subject, _, _ = strings.Cut(subject, "\n")
		return c.Once("create_spec", map[string]any{"markdown": spec(subject)}, func(result string) model.Action {
			if !strings.Contains(result, "written") {
				return model.Action{Text: "complaint: create_spec says " + result}
			}
			return model.Action{Text: "It is written."}
		})
	}
	return model.LoopScript(c)
}

func spec(subject string) string {
	return fmt.Sprintf("# %s\n\n## Milestones\n\n### Stage 1\n\n#### Words\n\n- [ ] done\n- ID: m1.1\n- "+
		"Depends on: none\n", subject)
}

// conductor runs a conductor in this process, with the fixture's environment.
func (b *fixture) conductor() (*scheduler.Scheduler, *project.Task) {
	b.t.Helper()
	for _, entry := range b.env {
		name, value, _ := strings.Cut(entry, "=")
		b.t.(*testing.T).Setenv(name, value)
	}
	b.t.(*testing.T).Setenv("XDG_CONFIG_HOME", filepath.Join(b.root, "home", ".config"))        // the clients' own
	b.t.(*testing.T).Setenv("XDG_STATE_HOME", filepath.Join(b.root, "home", ".local", "state")) // as for ferrus init
	p, err := project.OpenKept(b.dir, store.UserHeads(), agent.Names()...)
	if err != nil {
		b.t.Fatal(err)
	}
	p.Lanes = gate.LanesDir(b.dir)
	c, err := scheduler.Start(b.t.Context(), p, conductor.Options{Ferrus: b.ferrus, Headless: true}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close(true) }) //nolint:errcheck // closed already, if it went well
	return c, p
}

// over waits for the end of the session with the given number, and checks how it went.
func (b *fixture) over(p *project.Task, number int, mode core.Mode) {
	b.t.Helper()
	var ended []project.Ended
	b.until(fmt.Sprintf("the session for %s does not end\n%s", mode, b.evidence()), func() bool {
		var err error
		if ended, err = p.Ended(""); err != nil {
			b.t.Fatal(err)
		}
		return len(ended) >= number
	})
	e := ended[number-1]
	if e.Mode != mode || e.Exit != "done" || e.Accepted == (mode == core.ModeFree) {
		b.t.Errorf("%s: the session ended as %+v\n%s", mode, e, b.evidence())
	}
}
