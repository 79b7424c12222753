package clients

import (
	"context"
	"errors"
	"time"

	"ferrus/hq/gate"
)

// errCutOff is the cause of the end of a round that a [watchdog] ended.
var errCutOff = errors.New("cut off")

// stretch is how many times the limit a round may take in all, and be without a call on a busy machine.
const stretch = 3

// watchdog ends a round in which nothing happens, or which does not end. A client on a busy machine gets
// more time: it may only be slow.
type watchdog struct {
	limit time.Duration // the longest time without a call to the model
	busy  func() bool
	calls chan struct{} // of size one: a call since the last look
}

func newWatchdog(limit time.Duration) *watchdog {
	return &watchdog{limit: limit, busy: gate.Loaded, calls: make(chan struct{}, 1)}
}

// called notes a call to the model.
func (w *watchdog) called() {
	select {
	case w.calls <- struct{}{}:
	default: // the previous call has not been looked at
	}
}

// watch cancels ctx with [errCutOff] when the round must end, and returns at the end of ctx.
func (w *watchdog) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	all, quiet := time.NewTimer(stretch*w.limit), time.NewTimer(w.limit)
	defer all.Stop()
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-all.C:
			cancel(errCutOff)
			return
		case <-w.calls:
			quiet.Reset(w.limit)
		case <-quiet.C:
			if !w.busy() {
				cancel(errCutOff)
				return
			}
			quiet.Reset(w.limit)
		}
	}
}
