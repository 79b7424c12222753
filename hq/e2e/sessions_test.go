//go:build e2e

package e2e

import (
	"testing"
	"time"
)

// TestSessions opens every kind of session that a person talks in, with each
// client, and talks.
func TestSessions(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, setup{supervisor: name, executor: name, more: "[session]\ngrace_secs = 1\n"})
			s := b.hq()
			for _, session := range []struct{ command, pane, opens string }{
				{"/plan", "1", "What is the task?"}, {"/spec", "1", "What is wanted?"}, {"/supervisor", "1", ""}, {"/executor", "2", ""},
			} {
				s.line(session.command)
				if session.opens != "" {
					s.see(session.opens)
				} else {
					s.see(ready[name])
				}
				s.keys("\x0f" + session.pane)
				word := session.command[1:] + "-" + session.pane
				s.line("Say `" + word + "` now")
				s.see("You want " + word + ".")
				s.keys(leave)
				s.line("/stop")
				b.quiet()
			}
			s.keys(interrupt + interrupt)
			<-s.ended
			if complaints := b.server.Complaints(); len(complaints) > 0 {
				t.Errorf("the model missed something: %q", complaints)
			}
		})
	}
}

// ready is what each client shows when it waits for words.
var ready = map[string]string{"claude-code": "❯", "codex": "›", "qwen-code": "Type your message"}

// quiet waits until the conductor has reaped every session.
func (b *bench) quiet() {
	b.t.Helper()
	over := time.After(patience)
	for b.pid("planner") != 0 || b.pid("executor") != 0 {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-over:
			b.t.Fatal("the sessions do not end")
		}
	}
}
