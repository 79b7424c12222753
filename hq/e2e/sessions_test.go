//go:build e2e

package e2e

import (
	"cmp"
	"testing"
	"time"

	"ferrus/hq/core"
)

// TestSessions opens every kind of session that a human talks in, with each client, and talks.
func TestSessions(t *testing.T) {
	for _, name := range players() {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name, more: "[session]\ngrace_secs = 1\n"})
			s := b.hq()
			for _, session := range []struct{ command, slot, pane, before, opens string }{
				{"/plan", "planner", "1", "No task yet", "What is the task?"},
				{"/spec", "planner", "1", "You want plan-1.", "What is wanted?"},
				{"/supervisor", "planner", "1", "You want spec-1.", ready[name]},
				{"/executor", "executor", "2", "You want supervisor-1.", ready[name]},
			} {
				s.typeLine(session.command)
				b.begun(session.slot)
				s.WaitGone(session.before) // the pane's earlier content
				s.WaitFor(session.opens)
				s.Type(leave + "\x0f" + session.pane) // HQ may have selected it already
				word := session.command[1:] + "-" + session.pane
				s.ask("Say `"+word+"` now", "You want "+word+".")
				s.Type(leave)
				s.typeLine("/stop")
				s.WaitFor("Stop?")
				s.Type("y")
				b.quiet()
			}
			s.Type(interrupt + interrupt)
			<-s.Ended
			if complaints := b.server.Complaints(); len(complaints) > 0 {
				t.Errorf("the model's complaints: %q", complaints)
			}
		})
	}
}

// ready is what each client shows when it waits for input.
var ready = map[string]string{"claude-code": "❯", "codex": "›", "qwen-code": "Type your message", "copilot": "? help",
	"opencode": "Ask anything"}

// begun waits until the conductor has a session in a slot.
func (b *fixture) begun(slot string) {
	b.t.Helper()
	b.until("the "+slot+" does not begin", func() bool { return b.pid(slot) != 0 })
}

// quiet waits until the conductor has reaped every session.
func (b *fixture) quiet() {
	b.t.Helper()
	b.until("the sessions do not end", func() bool {
		for _, slot := range core.Slots {
			if b.pid(string(slot)) != 0 {
				return false
			}
		}
		return true
	})
}

func (b *fixture) until(otherwise string, there func() bool) {
	b.t.Helper()
	over := time.After(cmp.Or(b.patience, patience))
	for !there() {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-over:
			b.t.Fatal(otherwise)
		}
	}
}
