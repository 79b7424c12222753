package chaos

import (
	"strings"
	"syscall"
	"testing"

	"ferrus/hq/project"
	"ferrus/store/longtest"
)

// A server is stopped while a conductor sees that it is alive. Status and inbox report it as
// silent, ferrus resume --take gives its work to another session, and once it continues, every tool
// that needs the lease refuses it.
func TestStoppedServerIsTakenFrom(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	p, a, b := twoGuests(t)
	lock, err := p.project().Store.TryLock(project.ConductorLock)
	if err != nil {
		t.Fatal(err)
	}
	if status, _ := a.use("wait_for_task"); status != "claimed" {
		t.Fatalf("the first session: %s, want claimed", status)
	}
	a.signal(syscall.SIGSTOP)
	for !strings.Contains(p.shown("inbox"), "executor:demo:1 holds the lease but is silent") {
		if t.Context().Err() != nil {
			t.Fatal("the inbox does not report the silent session")
		}
	}
	if shown := p.shown("status"); !strings.Contains(shown, "silent     executor:demo:1") {
		t.Errorf("the status does not report the silent session:\n%s", shown)
	}
	if err := lock.Close(); err != nil { // it cannot be asked whether the human resumes
		t.Fatal(err)
	}
	if shown := p.shown("resume", "--take"); !strings.Contains(shown, "the lease of executor:demo:1 is taken") {
		t.Fatalf("the lease was not taken:\n%s", shown)
	}
	if w := p.world().World; w.IsClaimed() {
		t.Errorf("%s still holds the lease", w.ClaimedBy)
	}
	if status, _ := b.use("wait_for_task"); status != "claimed" {
		t.Fatalf("the second session: %s, want claimed", status)
	}
	a.signal(syscall.SIGCONT)
	a.late()
	if status, _ := b.use("consult"); status != "asked" {
		t.Fatalf("the second session: %s, want asked", status)
	}
}

// shown returns the output of a ferrus command that must succeed.
func (p *trial) shown(args ...string) string {
	p.Helper()
	code, out := p.ferrus(args...)
	if code != 0 && code != 3 { // 3: something needs the human
		p.Fatalf("ferrus %v: %d\n%s", args, code, out)
	}
	return out
}
