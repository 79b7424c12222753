package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"
)

// orderedWork does work in the order in which it was added, although each Bubble Tea command
// runs on its own goroutine.
type orderedWork struct {
	order   sync.Mutex // held while work is done
	mu      sync.Mutex
	waiting []func() // guarded by mu
}

// add adds work, and returns the command that does it, and what was added before.
func (q *orderedWork) add(work func()) tea.Cmd {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, work)
	return func() tea.Msg { q.flush(); return nil }
}

// flush returns when all work that was added is done.
func (q *orderedWork) flush() {
	q.order.Lock()
	defer q.order.Unlock()
	for work := q.next(); work != nil; work = q.next() {
		work()
	}
}

func (q *orderedWork) next() (work func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		work, q.waiting = q.waiting[0], q.waiting[1:]
	}
	return work
}
