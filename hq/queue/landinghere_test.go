package queue

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/machine/task"
)

// Approved work in the checkout is listed until it has landed.
func TestLandingHere(t *testing.T) {
	t.Parallel()
	var w core.World
	if got := LandingHere(w); len(got) != 0 {
		t.Errorf("without a task: got %v, want nothing", got)
	}
	w.State, w.Submission = task.Complete, &core.Submission{}
	w.Task = &core.Task{ID: "t-20261120-101500-4f2a", Title: "Retry"}
	if got := LandingHere(w); len(got) != 1 || got[0].Run != "ferrus land" {
		t.Errorf("approved: got %v, want one item that lands it", got)
	}
	for by, yours := range map[string]bool{"supervisor:codex:1": false, core.HumanID: true} {
		w.Submission.Review = &core.Review{By: by}
		if got := LandingHere(w); len(got) != 1 || got[0].Yours != yours {
			t.Errorf("approved by %s: got %v, want yours %v", by, got, yours)
		}
	}
	w.Task.Landed = &core.Landed{}
	if got := LandingHere(w); len(got) != 0 {
		t.Errorf("landed: got %v, want nothing", got)
	}
}
