package run_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"ferrus/hq"
	"ferrus/hq/run"
	"ferrus/machine/session"
	"ferrus/store"
)

func complete(v run.View) bool { return v.State.World.State == "Complete" }
func held(v run.View) bool     { return v.State.World.Hold != nil }

// A task goes to Complete by what the conductor starts, and nothing is left.
func TestLoop(t *testing.T) {
	s := newScene(t, "work")
	s.task()
	c := s.start()
	v := s.wait(c, "Complete", complete)
	if v.State.World.ClaimedBy != "" {
		t.Errorf("the lease is kept by %s", v.State.World.ClaimedBy)
	}
	s.close(c, true)
	if state, err := s.p.World(); err != nil || state.World.Hold != nil {
		t.Errorf("a complete task is held: %v, %v", state.World.Hold, err)
	}
}

// A second conductor is refused and told whose lock it is.
func TestOneConductor(t *testing.T) {
	s := newScene(t, "hang")
	c := s.start()
	defer s.close(c, false)
	_, err := run.Start(t.Context(), s.p, run.Options{})
	if h := (*store.Held)(nil); !errors.As(err, &h) || h.PID != os.Getpid() {
		t.Errorf("the second conductor got %v", err)
	}
}

// An executor that ends without doing anything is started again, and after the
// third time the person is asked.
func TestNoProgress(t *testing.T) {
	s := newScene(t, "exit")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "hold", held)
	if v.State.World.Hold.Reason != "no-progress" {
		t.Errorf("hold %v", v.State.World.Hold)
	}
	if n := v.Panes[0].Session; n != 3 {
		t.Errorf("%d sessions", n)
	}
}

// An agent that dies is started again and the task goes on.
func TestCrash(t *testing.T) {
	s := newScene(t, "crash once")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "Complete", complete)
}

// kill -9 of the executor in the middle: another takes its place.
func TestKilled(t *testing.T) {
	s := newScene(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a running executor", running)
	registry, err := s.p.Registry()
	if err != nil || len(registry.Agents) != 1 {
		t.Fatalf("registry %+v, %v", registry, err)
	}
	first := v.Panes[0].Session
	if err := syscall.Kill(registry.Agents[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the next session", func(v run.View) bool { return v.Panes[0].Session > first && running(v) })
}

func running(v run.View) bool {
	return len(v.Panes) > 0 && v.Panes[0].State == session.Running
}

// /stop ends what lives and holds; /resume goes on.
func TestStopAndResume(t *testing.T) {
	s := newScene(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "nobody", func(v run.View) bool {
		return held(v) && v.Panes[0].State == session.Stopped && !v.Panes[0].Ending
	})
	s.nobody()
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running executor again", func(v run.View) bool { return !held(v) && running(v) })
}

// /reset ends the session of the task that is put away.
func TestReset(t *testing.T) {
	s := newScene(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	s.wait(c, "a running executor", running)
	if _, err := c.Do(t.Context(), hq.Command{Kind: "reset"}); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "nobody", func(v run.View) bool { return v.Panes[0].State == session.SessionComplete && !v.Panes[0].Ending })
	s.nobody()
}

// Closing with a hold keeps the next conductor from going on by itself; without
// one it goes on.
func TestQuit(t *testing.T) {
	s := newScene(t, "hang")
	s.task()
	c := s.start()
	s.wait(c, "a running executor", running)
	s.close(c, true)
	if state, err := s.p.World(); err != nil || state.World.Hold == nil || state.World.Hold.Reason != "quit" {
		t.Fatalf("hold %v, %v", state.World.Hold, err)
	}
	c = s.start()
	defer s.close(c, false)
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "a running executor again", running)
}
