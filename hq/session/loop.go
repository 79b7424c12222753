package session

import (
	"context"
	"sync"
	"time"
)

// Loop runs functions one after the other on one goroutine, which owns what they
// touch. Make it with [NewLoop], have it run with [Loop.Start], and end it with
// [Loop.Close]. All other methods may be called from anywhere, at any time.
type Loop struct {
	// Context ends with the loop. It bounds patience, not work: what is being ended
	// then is ended without grace.
	Context context.Context

	cancel  context.CancelFunc
	stopped chan struct{} // closed when nothing is run any more
	wake    chan struct{} // size 1: queue has something for a loop that sleeps
	owned   sync.WaitGroup

	mu    sync.Mutex // guards queue
	queue []func()
}

// NewLoop returns a loop that is to be started. Values of ctx are kept; its end is not
// the loop's.
func NewLoop(ctx context.Context) *Loop {
	l := &Loop{stopped: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.Context, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// Start runs turn, and then what is posted, in order, with turn after each, until the
// loop is closed. Call it once.
func (l *Loop) Start(turn func()) {
	l.Go(func() {
		defer close(l.stopped)
		for f, ok := func() {}, true; ok; f, ok = l.next() {
			f()
			turn()
		}
	})
}

// next waits for the oldest function; false when the loop is closed.
func (l *Loop) next() (func(), bool) {
	for {
		if l.Context.Err() != nil {
			return nil, false
		}
		l.mu.Lock()
		if len(l.queue) > 0 {
			f := l.queue[0]
			l.queue = l.queue[1:]
			l.mu.Unlock()
			return f, true
		}
		l.mu.Unlock()
		select {
		case <-l.wake:
		case <-l.Context.Done():
		}
	}
}

// Post hands f to the loop and does not wait. A loop that is closed drops it; false when
// it was closed already.
func (l *Loop) Post(f func()) bool {
	if l.Context.Err() != nil {
		return false
	}
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // the loop is to look at the queue already
	}
	return true
}

// Ask runs f in the loop and waits for its end; false when the loop is closed, and f was
// not run. The loop must not call it.
func (l *Loop) Ask(f func()) (done bool) {
	ran := make(chan struct{})
	l.Post(func() { f(); done = true; close(ran) })
	select {
	case <-ran:
	case <-l.stopped: // nothing is run any more, and done says whether f was
	}
	return done
}

// After posts f when d has passed. A timer that is stopped before that posts nothing.
func (l *Loop) After(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { l.Post(f) })
}

// Go runs f on a goroutine that Close waits for. Call it from the loop, or before it is
// started.
func (l *Loop) Go(f func()) { l.owned.Go(f) }

// Close ends the loop and waits for its goroutines. Call it once, not from the loop.
func (l *Loop) Close() {
	l.cancel()
	l.owned.Wait()
}
