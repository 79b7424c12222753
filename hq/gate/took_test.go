package gate

import (
	"testing"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

// TestTimesOutliveWhoWatched finds how long commands took, even after their task was archived,
// without the times of the present gate.
func TestTimesOutliveWhoWatched(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "true", "false")
	if got := Took(l.Task, time.Now()); len(got) != 0 {
		t.Errorf("before the first gate: %v", got)
	}
	began := time.Now()
	l.run(l.check())
	known := func(want int, before time.Time) {
		t.Helper()
		if got := Took(l.Task, before); len(got) != want || want > 0 && (got["true"] <= 0 || got["false"] <= 0) {
			t.Errorf("%d times, not %d: %v", len(got), want, got)
		}
	}
	known(0, began)
	known(2, time.Now())
	l.do(core.Command{Kind: "reset", By: project.HumanActor()})
	known(2, time.Now())
}
