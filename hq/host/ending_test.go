package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The host records how a session ended, for the next conductor.
func TestEndedWithoutAConductor(t *testing.T) {
	s := newFixture(t)
	first, p := s.start("echo")
	p.await(t, "ready")
	first.Detach()
	if err := syscall.Kill(first.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c, q := s.adopt()
	if exit := s.done(c); exit.Signal != syscall.SIGKILL {
		t.Errorf("the exit is %+v, want SIGKILL", exit)
	}
	q.await(t, "ready")
}

func TestTheWholeTreeEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it waits for a tree of processes")
	}
	for _, part := range []string{"hang", "stone", "deaf", "close", "flood"} {
		t.Run(part, func(t *testing.T) {
			s := newFixture(t)
			c, _ := s.start(part)
			if exit := c.End(t.Context(), 200*time.Millisecond); exit.Err != nil || exit.Ended.IsZero() {
				t.Errorf("the exit is %+v, want no error and a time", exit)
			}
		})
	}
	t.Run("grandchild", func(t *testing.T) {
		s := newFixture(t)
		c, _ := s.start("litter")
		if exit := s.done(c); exit.Err != nil || exit.Code != 0 {
			t.Errorf("the exit is %+v, want code 0", exit)
		}
	})
}

// If a host is killed, no process of its session survives.
func TestHostKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s := newFixture(t)
	c, p := s.start("stone")
	p.await(t, "ready")
	if err := syscall.Kill(c.Record().Host.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if exit := s.done(c); exit.Err == nil || exit.Code == 0 {
		t.Errorf("the exit is %+v, want an error and a code", exit)
	}
}

// A project's socket directory is removed with its last host, even if another host starts at that
// moment.
func TestTheLastHostLeavesNoDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	s := newFixture(t)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 8 {
				c, err := Start(os.Args[0], s.launch("exit", fmt.Sprintf("slot%d", i)), newPane())
				if err != nil {
					t.Error(err)
					return
				}
				<-c.Done()
			}
		})
	}
	all.Wait()
	if _, err := os.Lstat(socketDirs(string(s.dir))[1]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory still exists: %v", err)
	}
}

// Forgetting a session removes what its killed host left; a running host's files stay.
func TestForget(t *testing.T) {
	s := newFixture(t)
	c, p := s.start("hang")
	p.await(t, "ready")
	Forget(string(s.dir), "", "executor")
	if _, err := os.Lstat(c.Record().Socket); err != nil {
		t.Fatalf("a running host's socket was removed: %v", err)
	}
	if err := syscall.Kill(c.Record().Host.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.done(c)
	Forget(string(s.dir), "", "executor")
	if _, err := os.Lstat(filepath.Dir(c.Record().Socket)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket's directory still exists: %v", err)
	}
}
