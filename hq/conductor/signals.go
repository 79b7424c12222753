package conductor

import (
	"sync/atomic"
	"time"
)

// outputPeriod is how often at most output alone makes a new view: what a pane shows is drawn without
// one.
const outputPeriod = 100 * time.Millisecond

// signals say what there is to draw. A project and its tasks share them.
type signals struct {
	updates chan struct{} // size 1: there is something new to draw
	printed chan struct{} // size 1: a session has printed something
	due     atomic.Bool   // a view will be asked for
}

func newSignals() *signals {
	return &signals{updates: make(chan struct{}, 1), printed: make(chan struct{}, 1)}
}

// Updates signals that View has something new. Signals are merged: one may announce many
// changes.
func (s *signals) Updates() <-chan struct{} { return s.updates }

// Printed signals that a session has printed something, which is on the terminal of its pane. Signals
// are merged. Updates says the same later, for what else depends on it.
func (s *signals) Printed() <-chan struct{} { return s.printed }

// NotifyChanged signals that View has something new.
func (s *signals) NotifyChanged() { signal(s.updates) }

func (s *signals) notifyPrinted() {
	signal(s.printed)
	if s.due.CompareAndSwap(false, true) {
		time.AfterFunc(outputPeriod, func() {
			s.due.Store(false)
			s.NotifyChanged()
		})
	}
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default: // a signal is waiting already
	}
}
