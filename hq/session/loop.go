package session

import (
	"context"
	"sync"
	"time"
)

// Loop runs functions one after the other on one goroutine, which owns what they touch.
// Make it with [NewLoop], start it with [Loop.Start], and end it with [Loop.Close].
// Unless they say otherwise, the other methods may be called from any goroutine, at any
// time. Posted functions run in the order of their Post, also those of different
// goroutines. Nothing that runs on it may wait for something else that has to run on
// it.
type Loop struct {
	// Context ends with the loop. It cuts waits and grace short, but cleaning up is
	// still completed.
	Context context.Context

	cancel  context.CancelFunc
	started bool          // by Start
	stopped chan struct{} // closed when nothing is run any more
	wake    chan struct{} // size 1: queue has something for a loop that sleeps
	// The loop's own goroutine is one of them.
	owned sync.WaitGroup

	mu sync.Mutex // guards queue
	// It has no bound: posters are few, and none may be made to wait.
	queue []func()
}

// NewLoop returns a loop that is not started yet. It keeps the values of ctx, but does not
// end with it.
func NewLoop(ctx context.Context) *Loop {
	l := &Loop{stopped: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.Context, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// Start runs turn, then every posted function in order with turn after each, until the
// loop is closed. It returns at once. Call it once. The first turn runs without a
// function before it.
func (l *Loop) Start(turn func()) {
	l.started = true
	l.Go(func() {
		defer close(l.stopped)
		for f, ok := func() {}, true; ok; f, ok = l.next() {
			f()
			turn()
		}
	})
}

// next waits for the oldest posted function; false when the loop is closed.
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

// Post queues f and does not wait. It reports false when the loop is closed; a loop that
// is closed later drops f without running it.
func (l *Loop) Post(f func()) bool {
	if l.Context.Err() != nil {
		return false
	}
	l.mu.Lock()
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default: // the loop is about to read the queue
	}
	return true
}

// Ask runs f on the loop and waits for its end. It reports false when the loop is
// closed and f was not run. Calling it on the loop deadlocks. It also waits for
// everything that was posted before.
func (l *Loop) Ask(f func()) (done bool) {
	ran := make(chan struct{})
	l.Post(func() { f(); done = true; close(ran) })
	select {
	case <-ran:
	case <-l.stopped: // nothing runs any more; done says whether f did
	}
	return done
}

// After posts f once d has passed. A timer that is stopped before that posts nothing.
// Stopping the returned timer does not cancel what it has already posted; f has to
// check whether it still applies.
func (l *Loop) After(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { l.Post(f) })
}

// Go runs f on a goroutine that Close waits for, so f must end when Context does. Call it
// on the loop, or before the loop is started.
func (l *Loop) Go(f func()) { l.owned.Go(f) }

// Close ends the loop after the function that runs now, and waits for its goroutines.
// Call it once, not on the loop, and after [Loop.Start] if that is called at all. Functions
// that are still queued are dropped, so whatever must happen is done by the closer itself.
func (l *Loop) Close() {
	l.cancel()
	if !l.started {
		close(l.stopped)
	}
	l.owned.Wait()
}
