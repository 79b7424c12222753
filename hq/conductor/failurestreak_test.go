package conductor_test

import (
	"context"
	"strings"
	"testing"

	"ferrus/hq/conductor"
)

// An executor that checks the same tree again and again is stopped for the human.
func TestSameFailureAgainAndAgain(t *testing.T) {
	s := newFixture(t, "stubborn")
	s.task()
	c := s.start()
	defer s.close(c, false)
	v := s.wait(c, "a hold", held)
	if h := v.State.World.Hold; h.Reason != "no-progress" || !strings.Contains(h.Cause, "3 times in the same way") ||
		v.State.World.CheckRetries < 3 {
		t.Errorf("hold %v after %d failures", v.State.World.Hold, v.State.World.CheckRetries)
	}
	// Others may say that a slow machine leaves the executor's pane silent.
	why := func(v conductor.View) (all []string) {
		for _, n := range v.Notices {
			if strings.Contains(n.Text, "3 times in the same way") {
				all = append(all, n.Text)
			}
		}
		return all
	}
	v = s.wait(c, "why", func(v conductor.View) bool { return len(why(v)) > 0 })
	if n := why(v)[0]; !strings.Contains(n, "once more") {
		t.Errorf("the notice is %q, want what resume does", n)
	}
	if _, err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.wait(c, "the next hold", func(v conductor.View) bool { return held(v) && len(why(v)) > 1 })
}

// insist checks again and again. After three failures it waits for the hold, as it does for
// the human, so that a conductor that is slow counts three all the same.
func (a *actor) insist() error {
	notices, err := a.p.Store.Watch(context.Background())
	if err != nil {
		return err
	}
	for range notices {
		state, err := a.p.World()
		if err != nil {
			return err
		}
		lines, err := a.p.Store.Journal(0)
		if err != nil {
			return err
		}
		failures := 0
		for _, line := range lines {
			switch line.Event {
			case "checked":
				failures++
			case "resume":
				failures = 0
			}
		}
		if !state.World.GateRunning() && state.World.Hold == nil && failures < 3 {
			a.do("check", "") //nolint:errcheck // refused if something else happens first
		}
	}
	return nil
}
