package session

import (
	"testing"
	"time"
)

// A waiter for output is called once, by the first output that is newer than what it has seen: a
// quiet session costs nothing.
func TestOutputIsAwaited(t *testing.T) {
	t.Parallel()
	var a activity
	calls := 0
	count := func() { calls++ }
	a.await(time.Time{}, count)
	if calls != 0 {
		t.Fatal("called without output")
	}
	a.note()
	a.note()
	if calls != 1 {
		t.Fatalf("called %d times for the first output", calls)
	}
	a.await(a.last(), count)
	if calls != 1 {
		t.Fatal("called for output that was seen")
	}
	seen := a.last()
	for !a.last().After(seen) { // the clock may be coarse
		a.note()
	}
	if calls != 2 {
		t.Fatalf("called %d times, not for the next output", calls)
	}
	a.await(a.last(), func() { t.Error("called for what another waits for") })
	if a.await(seen, count); calls != 3 {
		t.Fatalf("called %d times, not at once for output that is there", calls)
	}
}
