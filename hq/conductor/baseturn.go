package conductor

import (
	"slices"
	"sync"
)

// baseTurn lets one run on the base of a task begin after another: there is one lock for all of them, and a task that
// looks for it again and again costs as much as one that works.
type baseTurn struct {
	mu      sync.Mutex
	has     *baseRunner   // guarded by mu: whose turn it is; nil: no run waits or runs
	waiting []*baseRunner // guarded by mu: in the order in which they came
}

// claim reports whether it is the turn of a task. If not, its loop gets a turn once it is.
func (t *baseTurn) claim(b *baseRunner) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.has == nil {
		t.has = b
	}
	if t.has != b && !slices.Contains(t.waiting, b) {
		t.waiting = append(t.waiting, b)
	}
	return t.has == b
}

// leave gives the turn, or the place in the line, up.
func (t *baseTurn) leave(b *baseRunner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(other *baseRunner) bool { return other == b })
	if t.has != b {
		return
	}
	t.has = nil
	for len(t.waiting) > 0 && t.has == nil {
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		if next.loop.Post(func() {}) { // else it has ended
			t.has = next
		}
	}
}
