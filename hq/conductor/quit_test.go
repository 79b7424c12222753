package conductor_test

import (
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/hqtest"
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
