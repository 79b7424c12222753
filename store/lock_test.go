package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

func TestLockGoesWithTheProcess(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	cmd, out := play(t, "STORE_HOLDER="+project)
	if !out.Scan() || out.Text() != "<nil>" {
		t.Fatalf("the other process could not take the lock: %s", out.Text())
	}
	var other *LockedError
	if _, err := d.TryLock("conductor.lock"); !errors.As(err, &other) || other.PID != cmd.Process.Pid {
		t.Fatal(err)
	}
	if pid, isHeld, err := d.Holder("conductor.lock"); !isHeld || pid != cmd.Process.Pid || err != nil {
		t.Fatalf("holder %d, held %v, %v; want process %d", pid, isHeld, err, cmd.Process.Pid)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() //nolint:errcheck // it was killed
	if pid, isHeld, err := d.Holder("conductor.lock"); isHeld || pid != 0 || err != nil {
		t.Fatalf("holder %d, held %v, %v; want none", pid, isHeld, err)
	}
	lock, err := d.TryLock("conductor.lock")
	if err != nil {
		t.Fatal(err)
	}
	if pid, isHeld, err := d.Holder("conductor.lock"); !isHeld || pid != os.Getpid() || err != nil {
		t.Fatalf("holder %d, held %v, %v; want process %d", pid, isHeld, err, os.Getpid())
	}
	if err := errors.Join(lock.Close(), lock.Close()); err != nil {
		t.Fatal(err)
	}
	if _, isHeld, err := d.Holder("conductor.lock"); isHeld || err != nil {
		t.Fatalf("held %v, %v; want it free", isHeld, err)
	}
}

// A process that only inspects a lock never keeps a taker out, and only one taker has the lock.
func TestLookingTakesNothing(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	var all sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					d.Holder("x.lock")
				}
			}
		})
	}
	for range 200 {
		lock, err := d.TryLock("x.lock")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.TryLock("x.lock"); err == nil {
			t.Fatal("two have the lock")
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	all.Wait()
}

// The pid of a dead holder is not taken for the pid of the next holder.
func TestStalePID(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	d, _ := newStore(t)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	lock, err := d.TryLock("x.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := os.WriteFile(d.Path("run", "x.lock"), fmt.Appendln(nil, gone.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	if pid, isHeld, err := d.Holder("x.lock"); pid != 0 || !isHeld || err != nil {
		t.Fatalf("holder %d, held %v, %v; want it held by an unknown process", pid, isHeld, err)
	}
}

// A child of a killed holder that is about to become another program still has the lock open. That
// passes in a moment, so the taker waits.
func TestHalfBornChildHoldsNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	d, _ := newStore(t)
	file, err := d.openLock("x.lock", os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	if err := tryFlock(file); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("sleep", "0.2")
	child.ExtraFiles = []*os.File{file}
	if err := errors.Join(child.Start(), file.Close()); err != nil {
		t.Fatal(err)
	}
	defer child.Wait() //nolint:errcheck // it only sleeps
	if pid, isHeld, err := d.Holder("x.lock"); pid != 0 || isHeld || err != nil {
		t.Errorf("holder %d, held %v, %v; want it free", pid, isHeld, err)
	}
	lock, err := d.TryLock("x.lock")
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
}
