package session

import (
	"context"
	"sync"
	"time"
)

// Loop runs functions one after the other on one goroutine, which owns what they
// touch. Make it with [NewLoop], have one goroutine call [Loop.Run], and end it with
// [Loop.Close]. All other methods may be called from anywhere, at any time.
type Loop struct {
	// Context ends with the loop. It bounds patience, not work: what is being ended
	// then is ended without grace.
	Context context.Context

	cancel context.CancelFunc
	begun  sync.Once     // by Run, or by Close where Run was not called
	over   chan struct{} // closed when Run has returned
	wake   chan struct{} // size 1: queue has something for a Run that sleeps
	owned  sync.WaitGroup

	mu    sync.Mutex // guards queue
	queue []func()
}

// NewLoop returns a loop that is to be run. Values of ctx are kept; its end is not
// the loop's.
func NewLoop(ctx context.Context) *Loop {
	l := &Loop{over: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.Context, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// Run runs what is posted, in order, and turn after each, until the loop is closed.
func (l *Loop) Run(turn func()) {
	closed := true
	l.begun.Do(func() { closed = false })
	if closed {
		return
	}
	defer close(l.over)
	for {
		f, ok := l.next()
		if !ok {
			return
		}
		f()
		turn()
	}
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
	default: // Run is to look at the queue already
	}
	return true
}

// Ask runs f in the loop and waits for its end; false when the loop is closed, and f
// was not run. The loop must not call it.
func (l *Loop) Ask(f func()) bool {
	done := make(chan struct{})
	l.Post(func() { defer close(done); f() })
	select {
	case <-done:
		return true
	case <-l.over:
	}
	select {
	case <-done: // it was the last
		return true
	default:
		return false
	}
}

// After posts f when d has passed. A timer that is stopped before that posts nothing.
func (l *Loop) After(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { l.Post(f) })
}

// Go runs f on a goroutine that Close waits for. Call it from the loop, or before
// Run: a loop that is closed starts nothing.
func (l *Loop) Go(f func()) { l.owned.Go(f) }

// Close ends the loop and waits for its goroutines. Call it once, not from the loop.
func (l *Loop) Close() {
	l.cancel()
	l.begun.Do(func() { close(l.over) })
	<-l.over
	l.owned.Wait()
}
