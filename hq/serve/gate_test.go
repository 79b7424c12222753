package serve_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

func TestRunningGateIsJoinedByItsCursor(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	signal := t.TempDir()
	p := newFixture(t, "[checks]\ncommands = [\"while ! test -f "+signal+
		"/go; do sleep 0.1; done\"]\n[limits]\nwait_timeout_secs = 0\n")
	a := p.worker()
	first := a.want("running", "check", nil)
	second := a.want("running", "check", args{"cursor": first.Cursor})
	third := a.want("running", "submit", args{"content": "done", "cursor": second.Cursor})
	if first.Ticket == 0 || second.Ticket != first.Ticket || third.Ticket != first.Ticket ||
		first.Cursor == second.Cursor {
		t.Errorf("first %s\nsecond %s\nthird %s", first.JSON, second.JSON, third.JSON)
	}
	write(t, signal, "go", "")
	p.until("a verdict", func(w core.World) bool { return w.State == "Checking" && !w.GateRunning() })
	if got := a.want("passed", "check", args{"cursor": third.Cursor}); got.Ticket != first.Ticket {
		t.Errorf("passed %s, want ticket %d", got.JSON, first.Ticket)
	}
	a.want("submitted", "submit", args{"content": "done", "cursor": third.Cursor})
	if want := "create_task claim check checked submit"; p.events() != want {
		t.Errorf("journal %s, want %s", p.events(), want)
	}
	b := p.agent(machine.Executor, core.ModeWork)
	if got := b.want("passed", "check", args{"cursor": first.Cursor}); got.Ticket != first.Ticket {
		t.Errorf("a verdict read again: %s", got.JSON)
	}
	b.refused(machine.Stale, "ticket-current", "check", args{"cursor": "99.1"})
}

func TestSecondCheckOfAFixedTreeIsAnotherGate(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	p := newFixture(t, once)
	a := p.worker()
	failed := a.want("failed", "check", nil)
	write(t, p.Dir, "good", "")
	if got := a.want("passed", "check", args{"cursor": failed.Cursor}); got.Ticket == failed.Ticket {
		t.Errorf("passed %s, want another ticket than %d", got.JSON, failed.Ticket)
	}
}

func TestCancelledCheckDoesNotEndTheGate(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	signal := t.TempDir()
	p := newFixture(t, "[checks]\ncommands = [\"while ! test -f "+signal+"/go; do sleep 0.1; done\"]\n")
	a := p.worker()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := a.try(ctx, "check", nil); done <- err }()
	p.until("a running gate", func(w core.World) bool { return w.GateRunning() })
	p.inFlight("check")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	write(t, signal, "go", "")
	a.want("passed", "check", nil)
	if got := p.events(); got != "create_task claim check checked" &&
		got != "create_task claim check checked check checked" {
		t.Errorf("the events are %s, want one check, or two", got)
	}
}

// A call that waits for a gate says why it fails, or what it waits for.
func TestACheckSaysWhatItsGateWaitsFor(t *testing.T) {
	p := newFixture(t, once+"[limits]\nwait_timeout_secs = 0\n")
	a := p.worker()
	lock, err := p.Files.TryLock(project.GateLock)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	const want = "the gate waits for another check of this project to end (process "
	if got := a.want("running", "check", nil); !strings.HasPrefix(got.Message, want) {
		t.Errorf("the message is %q, want %q and its number", got.Message, want)
	}
	p.human(core.KindCheckCancelled, "")
}
