package gate

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"ferrus/store"
)

// A stopped gate would hold its lock for ever. A process that wants another gate continues it.
func TestBusyContinuesTheHolder(t *testing.T) {
	l := newFixture(t, "true")
	held, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	for _, which := range []string{"the task's lock", "the lane's lock"} {
		if busy, err := busy(l.Task); !busy || err != nil {
			t.Errorf("%s: busy = %v, %v; want true", which, busy, err)
		}
		select {
		case <-continued:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: its holder was not continued", which)
		}
		held.task.Close()
	}
	held.lock.Close()
	held.files.Close()
}

// Two gates in one directory would run each other's tree, and end each other's processes: a lock that was removed from
// .ferrus is not free.
func TestARemovedLockIsNotFree(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	l.Lanes = t.TempDir()
	held, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	l.ok(os.RemoveAll(l.Store.Path("run")))
	if _, err := lockGate(t.Context(), l.Task); !errors.As(err, new(*store.LockedError)) {
		t.Errorf("a second gate has the lane: %v", err)
	}
	held.close()
	second, err := lockGate(t.Context(), l.Task)
	l.ok(err)
	second.close()
}
