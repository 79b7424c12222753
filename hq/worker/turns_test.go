package worker

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// Each turn that ends is reported once, and so is the next one that runs.
func TestTurnsAreReported(t *testing.T) {
	t.Parallel()
	first := time.Now()
	seen := []time.Time{{}, {}, first, first, {}, first.Add(time.Second), first.Add(2 * time.Second)}
	var got []bool
	followTurns(t.Context(), func() (now time.Time) {
		now, seen = seen[0], append(seen[1:], seen[len(seen)-1])
		return now
	}, time.Millisecond, func(runs bool) error {
		if got = append(got, runs); len(got) == 4 {
			return errors.New("the session has ended")
		}
		return nil
	})
	if want := []bool{false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("reported %v, want %v", got, want)
	}
}
