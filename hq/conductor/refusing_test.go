package conductor_test

import (
	"errors"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// Every refusal is in the view, and none is in the journal.
func TestRefusalsAreSeen(t *testing.T) {
	s := newFixture(t, "hang")
	s.task()
	c := s.start()
	defer s.close(c, false)
	before := s.wait(c, "a running executor, on a red base", func(v conductor.View) bool {
		return running(v) && v.State.World.Task.Base.Red != ""
	}).State.Seq
	var refusal *machine.Refusal
	if _, err := c.Do(t.Context(), core.Command{Kind: "approve"}); !errors.As(err, &refusal) {
		t.Fatalf("approve: %v, want a refusal", err)
	}
	seen := func(by, tool string) {
		t.Helper()
		s.wait(c, "a refusal of "+tool, func(v conductor.View) bool {
			n := len(v.Refused)
			return n > 0 && v.Refused[n-1].By == by && v.Refused[n-1].Tool == tool &&
				v.Refused[n-1].Refusal.Code == refusal.Code
		})
	}
	seen("person", "approve")

	r, err := s.p.Registry()
	if err != nil || len(r.Agents) == 0 {
		t.Fatalf("the registry is %+v, %v; want an agent", r, err)
	}
	now := time.Now()
	if err := s.p.SavePresence(r.Agents[0].Session, project.Presence{
		FirstCall: &now, Refused: []project.RefusedCall{project.NewRefused(now, "executor:x:1", "submit", *refusal)},
	}); err != nil {
		t.Fatal(err)
	}
	seen("executor:x:1", "submit")
	if err := s.p.SavePresence("0123456789abcdef", project.Presence{
		Refused: []project.RefusedCall{project.NewRefused(now, "executor:outside:1", "check", *refusal)},
	}); err != nil {
		t.Fatal(err)
	}
	seen("executor:outside:1", "check") // a server without a conductor
	if state, err := s.p.World(); err != nil || state.Seq != before {
		t.Errorf("the journal went from %d to %d, %v", before, state.Seq, err)
	}
}
