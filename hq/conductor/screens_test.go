package conductor_test

import (
	"os"
	"os/signal"
	"syscall"
	"testing"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
)

// sit is a reviewer in its own screen: it rejects once, approves then, and sits at
// its prompt after either.
func (a *actor) sit() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	state, err := a.p.World()
	switch {
	case err != nil:
	case state.World.ReviewCycles == 0:
		_, err = a.do("reject", "Once more.")
	default:
		_, err = a.do("approve", "")
	}
	if err == nil {
		<-signals
	}
	return err
}

// A reviewer that sits at its prompt is no reviewer: when work comes back before
// its grace is over, another takes its place.
func TestReviewerKeepsItsScreen(t *testing.T) {
	s := newFixture(t, "sit")
	s.edit("[hq.supervisor]\n", "[hq.supervisor]\ninteractive = true\n")
	s.edit("grace_secs = 1", "grace_secs = 20")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "Complete", complete)
	for _, p := range v.Panes {
		if p.Slot == core.SlotReviewer && (p.Session != 2 || !p.Interactive) {
			t.Errorf("the reviewer is %+v", p)
		}
	}
}

// Where no human types, no session has a screen of its own.
func TestHeadless(t *testing.T) {
	s := newFixture(t, "hang")
	s.edit("[hq.executor]\n", "[hq.executor]\ninteractive = true\n")
	s.task()
	c, err := conductor.Start(t.Context(), s.p, conductor.Options{Headless: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c, false)
	if v := s.wait(c, "a running executor", running); v.Panes[0].Interactive {
		t.Error("the executor waits for keys")
	}
}
