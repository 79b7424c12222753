package conductor

import (
	"slices"
	"sync"
)

// gateLine gives the gates of all tasks their turn in the order in which they came: one runs at a
// time. A gate of another process is waited for by the lock of the gate. Its methods may be called
// from any goroutine.
type gateLine struct {
	mu     sync.Mutex
	places []*linePlace // guarded by mu: the first has its turn
}

// linePlace is a place in the line.
type linePlace struct {
	turn  chan struct{}   // closed when it has its turn
	moved func(ahead int) // called with the number of gates ahead, whenever that changes
}

// join takes the last place, and says how many are ahead by calling moved.
func (l *gateLine) join(moved func(ahead int)) *linePlace { return l.enter(moved, false) }

// joinFirst takes the place behind the gate that runs: what is merged is what others wait for.
func (l *gateLine) joinFirst(moved func(ahead int)) *linePlace { return l.enter(moved, true) }

func (l *gateLine) enter(moved func(ahead int), first bool) *linePlace {
	p := &linePlace{turn: make(chan struct{}), moved: moved}
	l.mu.Lock()
	at := len(l.places)
	if first {
		at = min(1, at)
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

// announce says to each place how many are ahead, and gives the first its turn.
func (l *gateLine) announce() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ahead, p := range l.places {
		p.moved(ahead)
		if ahead > 0 {
			continue
		}
		select {
		case <-p.turn: // it has it already
		default:
			close(p.turn)
		}
	}
}
