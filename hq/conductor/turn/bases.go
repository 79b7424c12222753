package turn

import (
	"slices"
	"sync"
)

// A Run is the run of one task's checks on its base, which waits for its turn or has it.
type Run interface {
	// Notify has the run claim its turn again, and does not wait for that. It reports false where the run has ended.
	Notify() bool
}

// Bases lets one run on the base of a task start after another: there is one lock for all of them, and a task that
// polls it costs as much as one that works. Its methods may be called from any goroutine; a run is the same as another
// if both are equal.
type Bases struct {
	mu      sync.Mutex
	has     Run   // guarded by mu: whose turn it is; nil: no run waits or runs
	waiting []Run // guarded by mu: in the order in which they came
}

// Claim reports whether it is the turn of a run. If not, the run waits in line, and is notified once it is.
func (t *Bases) Claim(r Run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.has == nil {
		t.has = r
	}
	if t.has != r && !slices.Contains(t.waiting, r) {
		t.waiting = append(t.waiting, r)
	}
	return t.has == r
}

// Leave gives the turn, or the place in the line, up. A run that has neither may leave.
func (t *Bases) Leave(r Run) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(other Run) bool { return other == r })
	if t.has != r {
		return
	}
	t.has = nil
	for len(t.waiting) > 0 && t.has == nil {
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		if next.Notify() { // else it has ended
			t.has = next
		}
	}
}
