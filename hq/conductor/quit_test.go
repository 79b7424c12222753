package conductor_test

import (
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
)

// /quit holds a task that was created just now, although the view does not show it yet.
func TestQuitHoldsANewTask(t *testing.T) {
	s := newFixture(t, "hang")
	c := s.start()
	changes, err := s.p.Store.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	behind := make(chan struct{})
	c.Loop.Post(func() { <-behind })
	s.task()
	ended := make(chan error, 1)
	go func() { ended <- c.Close(true) }()
	for limit := time.After(10 * time.Second); hqtest.World(t, s.p).Hold == nil && limit != nil; {
		select {
		case <-changes:
		case <-limit:
			limit = nil
		}
	}
	close(behind)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if hold := hqtest.World(t, s.p).Hold; hold == nil || hold.Reason != core.HoldQuit {
		t.Errorf("the hold is %+v, want /quit's", hold)
	}
}

// startsLate is a queue that starts a task while the conductor ends.
type startsLate struct {
	conductor.Queue // nil: what is not called
	start           func()
}

func (q startsLate) Reconcile()                                 {}
func (q startsLate) Show(*conductor.View)                       {}
func (q startsLate) Rows() []queue.Row                          { return nil }
func (q startsLate) IsOpen() bool                               { return false }
func (q startsLate) End(func(*conductor.Conductor) error) error { q.start(); return nil }
func (q startsLate) Started() ([]*project.Task, error)          { return nil, nil }
func (q startsLate) Close() error                               { return nil }

// /quit also holds a task that the queue started after it.
func TestQuitHoldsATaskThatStartsLate(t *testing.T) {
	s := newFixture(t, "hang")
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{}, func(*conductor.Conductor) conductor.Queue {
		return startsLate{start: func() { s.task() }}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(true); err != nil {
		t.Error(err)
	}
	if hold := hqtest.World(t, s.p).Hold; hold == nil || hold.Reason != core.HoldQuit {
		t.Errorf("the hold is %+v, want /quit's", hold)
	}
}

// /quit holds a workflow in a phase that has no task, and /resume continues it.
func TestQuitHoldsAWorkflow(t *testing.T) {
	s := newFixture(t, "hang")
	c := s.start()
	if _, err := c.StartWorkflow(t.Context(), "oneshot", "Work"); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the session of its phase", conductor.View.Works)
	s.close(c, true)
	if hold := hqtest.World(t, s.p).Hold; hold == nil || hold.Reason != core.HoldQuit {
		t.Fatalf("the hold is %+v, want /quit's", hold)
	}
	c = s.start()
	defer s.close(c, false)
	err := c.Want(core.Request{Kind: core.ModeSpec, Role: machine.Supervisor})
	if err == nil || err.Error() != "the project is on hold (quit): run /resume first" {
		t.Errorf("a session is refused with %v", err)
	}
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the session again", conductor.View.Works)
}
