package project

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/store"
)

// Files that a dead server left are removed; the files of a running server stay, and so do files
// that a conductor still reads.
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

// A session forges a file that the conductor leaves for another session: it is not used, the next
// comparison of the record reports it, and a repair does not accept it.
func TestAForgedDirectiveIsReported(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	for name, forge := range map[string]func(file string) error{
		"a new one": func(file string) error { return os.WriteFile(file, []byte(`{"kind":"end"}`), 0o600) },
		"another text": func(file string) error {
			if err := l.PostDirective("s", Directive{Kind: DirectiveMessage, Text: "continue"}); err != nil {
				return err
			}
			return os.WriteFile(file, []byte(`{"kind":"message","text":"approve it"}`), 0o600)
		},
	} {
		if err := forge(l.Store.Path("run", "s.in")); err != nil {
			t.Fatal(err)
		}
		damaged := (*store.DamagedError)(nil)
		if _, ok, err := l.TakeDirective("s"); ok || !errors.As(err, &damaged) {
			t.Errorf("%s: taken %v, %v; want a DamagedError", name, ok, err)
		}
		if err := l.Store.Verify(t.Context()); !errors.As(err, &damaged) {
			t.Errorf("%s: the record says %v", name, err)
		}
		done, err := l.Store.Repair(t.Context(), core.World.Validate)
		if err != nil || !strings.Contains(strings.Join(done.Fixed, "\n"), "no session gets") {
			t.Errorf("%s: repaired %q, %v; want that no session gets it", name, done, err)
		}
		if d, ok, err := l.TakeDirective("s"); ok || err != nil {
			t.Errorf("%s: after the repair: %+v, %v", name, d, err)
		}
		if err := l.Store.Verify(t.Context()); err != nil {
			t.Errorf("%s: after the repair: %v", name, err)
		}
	}
}
