package project

import (
	"os"
	"os/exec"
	"testing"

	"ferrus/agent/process"
)

// What a dead server left is removed; what a running one reports stays, and
// so does what a conductor still looks at.
func TestPresencesOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	gone := exec.Command("sleep", "1000")
	if err := gone.Start(); err != nil {
		t.Fatal(err)
	}
	dead, err := process.Identify(gone.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Process.Kill()
	_ = gone.Wait()
	self, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	say := func(session string, by Presence) {
		if err := l.SavePresence(session, by); err != nil {
			t.Fatal(err)
		}
		if err := l.PostDirective(session, Directive{Kind: DirectiveEnd}); err != nil {
			t.Fatal(err)
		}
	}
	there := func(session string) bool {
		_, ok, err := l.Presence(session)
		_, handed, reading := l.TakeDirective(session)
		if err != nil || reading != nil || ok != handed {
			t.Errorf("%s: presence %v %v, handover %v %v", session, ok, err, handed, reading)
		}
		return ok
	}
	died := Presence{PID: dead.PID, Start: dead.Start, Host: dead.Host, Boot: dead.Boot}
	lives, abroad, managed := died, died, died
	lives.PID, lives.Start = self.PID, self.Start
	abroad.Host = "elsewhere"
	managed.Managed = true
	const a, b, c, d = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc", "dddddddddddddddd"
	all := map[string]Presence{a: died, b: lives, c: abroad, d: managed}
	for byConductor, left := range map[bool]string{false: b + c + d, true: b + c} {
		for session, one := range all {
			say(session, one)
		}
		if err := l.RemoveStalePresences(byConductor); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, session := range []string{a, b, c, d} {
			if there(session) {
				got += session
			}
		}
		if got != left {
			t.Errorf("conductor %v: left %s, want %s", byConductor, got, left)
		}
	}
}
