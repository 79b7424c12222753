package workflow

import (
	"testing"

	"ferrus/machine"
	"ferrus/machine/flow"
)

// While no executor is known to run, the way on must not say that one runs.
func TestUnrecordedEndOfExecutors(t *testing.T) {
	w := standing(flow.Feature, "delegate")
	w.Team = &Team{Spawned: true}
	w.Tasks = []Task{{ID: "t1", Status: Done}}
	for living, want := range map[string]string{
		"":                 "the end of the phase's executors is not recorded yet",
		"executor:codex:1": "executor:codex:1 is still running",
	} {
		way := w.Flow().Ways(w.Snap(), machine.Human, w.Facts(Observed{Living: living}))[0]
		if way.To != "review" || len(way.Failed) != 1 || way.Failed[0].Reason != want {
			t.Errorf("living %q: got %+v, want the way to review to be missing %q", living, way, want)
		}
	}
}

// A plan that was sent back counts at once, and only once.
func TestSentBackCountsAtOnce(t *testing.T) {
	w := standing(flow.Feature, "plan-review")
	if got := w.SentBack(); got != 0 {
		t.Errorf("before the answer: got %d, want 0", got)
	}
	w.PlanReview = &PlanReview{GapsFound: true}
	if got := w.SentBack(); got != 1 {
		t.Errorf("sent back: got %d, want 1", got)
	}
	w.Phase, w.Counters.Revisions = "plan", 1
	if got := w.SentBack(); got != 1 {
		t.Errorf("the supervisor has the plan again: got %d, want 1", got)
	}
}
