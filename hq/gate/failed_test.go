package gate

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ferrus/checks"
)

// A runner that cannot record what it found has ended its commands, and is no runner that died.
func TestAFailedRunnerDidNotDie(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	l.ok(os.RemoveAll(l.Store.Path("checks")))
	l.write(l.Store.Path("checks"), "where the record should be")
	ticket := l.check()
	for range 4 {
		if err := Run(t.Context(), l.Task, ticket, Options{}); err == nil {
			t.Fatal("the record is written, where there is no directory for it")
		}
	}
	// On a full disk the file that says what ran stays.
	held, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	left := mark(l.Task, laneFile(held.lane), marked{Ticket: ticket})
	l.ok(left.wait())
	l.ok(l.Files.Remove(groupFile(left.file)))
	held.close()
	l.ok(os.Remove(l.Store.Path("checks")))
	if record := l.run(ticket); record.Verdict != checks.Pass || l.events() != "check checked" {
		t.Errorf("%s after the events %s, want PASS after one check", record.Why, l.events())
	}
}

// A full disk that takes no tree proves nothing: the gate runs again.
func TestAFullDiskIsNoVerdict(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mount: it needs root")
	}
	l := newFixture(t, "true")
	l.Lanes = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "nr_inodes=3,mode=700", "none", l.Lanes).
		CombinedOutput(); err != nil {
		t.Skipf("mount: it is not allowed here: %s", out)
	}
	l.Cleanup(func() { _ = exec.Command("umount", "-l", l.Lanes).Run() })
	ticket := l.check()
	err := Run(t.Context(), l.Task, ticket, Options{})
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatalf("the error is %v, want no space left on device", err)
	}
	l.ok(exec.Command("mount", "-o", "remount,nr_inodes=0", l.Lanes).Run())
	if record := l.run(ticket); record.Verdict != checks.Pass || l.events() != "check checked" {
		t.Errorf("%s after the events %s, want PASS after one check", record.Why, l.events())
	}
}
