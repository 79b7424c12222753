// Package turn gives the check gates of all tasks of a project their turn, and so the runs of the checks on the trees
// that tasks started from.
//
// A gate joins the line of [Gates], waits for the turn of its [Place], and leaves. A run on a base asks [Bases]
// whether it is its turn, and is notified once it is. Both know the order alone: what runs, and how, is their callers'
// business. A gate in another process is waited for by the lock of its lane.
package turn

import (
	"context"
	"slices"
	"sync"
)

// Rank says which gates go first.
type Rank int

// The ranks, the first one first.
const (
	Merge  Rank = iota // a batch of the merge queue
	Submit             // what an executor has submitted
	Check              // what it checks as it works
)

// Gates gives the gates of all tasks their turn, by rank and then in the order of arrival: [limits]
// max_parallel_gates run at a time. A gate of another process is waited for by the lock of the lanes.
// Its methods may be called from any goroutine.
type Gates struct {
	mu     sync.Mutex
	limit  int      // guarded by mu: gates that run at the same time; 0 is 1
	places []*Place // guarded by mu: what has its turn is first
	merges bool     // guarded by mu: a merge that takes its steps has another gate soon
	others int      // guarded by mu: gates that got their turn since a merge got one
}

// Expect says whether a merge has another gate soon. Then as many other gates as run at the same time get their turn,
// and the next ones wait for it: otherwise the gates in line would have all turns while a merge takes its steps
// between two gates, and less would land than is approved.
func (l *Gates) Expect(merge bool) {
	l.mu.Lock()
	changed := l.merges != merge
	l.merges = merge
	l.mu.Unlock()
	if changed {
		l.announce()
	}
}

// A Place is a place in the line.
type Place struct {
	rank  Rank
	Turn  chan struct{}   // closed when it has its turn
	moved func(ahead int) // called with the number of gates that have to end first, whenever that changes
	has   bool            // it has its turn
	alone chan struct{}   // closed when no other gate runs; nil: it does not wait for that
	only  bool            // no other gate runs, or gets its turn, before it leaves
}

// SetLimit sets how many gates run at the same time.
func (l *Gates) SetLimit(n int) {
	l.mu.Lock()
	changed := l.limit != n
	l.limit = n
	l.mu.Unlock()
	if changed {
		l.announce()
	}
}

// Join waits in line, behind gates of the same rank, and calls moved with the number of gates
// ahead.
func (l *Gates) Join(rank Rank, moved func(ahead int)) *Place {
	p := &Place{rank: rank, Turn: make(chan struct{}), moved: moved}
	l.mu.Lock()
	l.merges = l.merges && rank != Merge
	at := slices.IndexFunc(l.places, func(other *Place) bool { return !other.has && other.rank > rank })
	if at < 0 {
		at = len(l.places)
	}
	l.places = slices.Insert(l.places, at, p)
	l.mu.Unlock()
	l.announce()
	return p
}

// Leave gives up a place, whether it had its turn or not. Call it once.
func (l *Gates) Leave(p *Place) {
	l.mu.Lock()
	l.places = slices.DeleteFunc(l.places, func(other *Place) bool { return other == p })
	l.mu.Unlock()
	l.announce()
}

// Crowded reports whether another gate runs beside one.
func (l *Gates) Crowded(p *Place) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.places, func(other *Place) bool { return other != p && other.has })
}

// WaitAlone returns when no other gate runs beside one that has its turn; none begins before that one
// leaves. Several that wait for it get it one after another.
func (l *Gates) WaitAlone(ctx context.Context, p *Place) error {
	alone := make(chan struct{})
	l.mu.Lock()
	p.alone = alone
	l.mu.Unlock()
	l.announce()
	select {
	case <-alone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// announce gives turns, and says to each place how many have to end before it.
func (l *Gates) announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit, running, only := max(l.limit, 1), 0, false
	for _, p := range l.places {
		only = only || p.only || p.alone != nil
		if p.has && p.alone == nil {
			running++
		}
	}
	for _, p := range l.places {
		if p.alone != nil && running == 0 && !slices.ContainsFunc(l.places, func(o *Place) bool { return o.only }) {
			p.only = true
			close(p.alone)
			p.alone = nil
			running++
		}
	}
	has := 0
	for at, p := range l.places {
		waits := l.merges && p.rank != Merge && l.others >= limit
		if !p.has && !only && has < limit && !waits {
			p.has = true
			close(p.Turn)
			if l.others++; p.rank == Merge {
				l.others = 0
			}
		}
		if p.has {
			has++
		}
		ahead := at - limit + 1
		if p.has {
			ahead = 0
		}
		p.moved(max(ahead, 0))
	}
}
