package conductor

import (
	"context"
	"slices"
	"sync"
)

// gateRank says which gates go first.
type gateRank int

// The ranks, the first one first.
const (
	rankMerge  gateRank = iota // a batch of the merge queue
	rankSubmit                 // what an executor has submitted
	rankCheck                  // what it checks as it works
)

// gateLine gives the gates of all tasks their turn, by rank and then in the order of arrival: [limits]
// max_parallel_gates run at a time. A gate of another process is waited for by the lock of the lanes.
// Its methods may be called from any goroutine.
type gateLine struct {
	mu     sync.Mutex
	limit  int          // guarded by mu: gates that run at the same time; 0 is 1
	places []*linePlace // guarded by mu: what has its turn is first
	merges bool         // guarded by mu: a merge that takes its steps has another gate soon
	others int          // guarded by mu: gates that got their turn since a merge got one
}

// expect says whether a merge has another gate soon. Then as many other gates as run at the same time get their turn,
// and the next ones wait for it: otherwise the gates in line would have all turns while a merge takes its steps
// between two gates, and less would land than is approved.
func (l *gateLine) expect(merge bool) {
	l.mu.Lock()
	changed := l.merges != merge
	l.merges = merge
	l.mu.Unlock()
	if changed {
		l.announce()
	}
}

// linePlace is a place in the line.
type linePlace struct {
	rank  gateRank
	turn  chan struct{}   // closed when it has its turn
	moved func(ahead int) // called with the number of gates that have to end first, whenever that changes
	has   bool            // it has its turn
	alone chan struct{}   // closed when no other gate runs; nil: it does not wait for that
	only  bool            // no other gate runs, or gets its turn, before it leaves
}

// setLimit sets how many gates run at the same time.
func (l *gateLine) setLimit(n int) {
	l.mu.Lock()
	changed := l.limit != n
	l.limit = n
	l.mu.Unlock()
	if changed {
		l.announce()
	}
}

// join waits in line, behind gates of the same rank, and calls moved with the number of gates
// ahead.
func (l *gateLine) join(rank gateRank, moved func(ahead int)) *linePlace {
	p := &linePlace{rank: rank, turn: make(chan struct{}), moved: moved}
	l.mu.Lock()
	l.merges = l.merges && rank != rankMerge
	at := slices.IndexFunc(l.places, func(other *linePlace) bool { return !other.has && other.rank > rank })
	if at < 0 {
		at = len(l.places)
	}
	l.places = slices.Insert(l.places, at, p)
	l.mu.Unlock()
	l.announce()
	return p
}

// leave gives up a place, whether it had its turn or not. Call it once.
func (l *gateLine) leave(p *linePlace) {
	l.mu.Lock()
	l.places = slices.DeleteFunc(l.places, func(other *linePlace) bool { return other == p })
	l.mu.Unlock()
	l.announce()
}

// crowded reports whether another gate runs beside one.
func (l *gateLine) crowded(p *linePlace) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.places, func(other *linePlace) bool { return other != p && other.has })
}

// waitAlone returns when no other gate runs beside one that has its turn; none begins before that one
// leaves. Several that wait for it get it one after another.
func (l *gateLine) waitAlone(ctx context.Context, p *linePlace) error {
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
func (l *gateLine) announce() {
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
		if p.alone != nil && running == 0 && !slices.ContainsFunc(l.places, func(o *linePlace) bool { return o.only }) {
			p.only = true
			close(p.alone)
			p.alone = nil
			running++
		}
	}
	has := 0
	for at, p := range l.places {
		waits := l.merges && p.rank != rankMerge && l.others >= limit
		if !p.has && !only && has < limit && !waits {
			p.has = true
			close(p.turn)
			if l.others++; p.rank == rankMerge {
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
