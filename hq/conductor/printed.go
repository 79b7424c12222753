package conductor

import (
	"sync/atomic"
	"time"
)

// outputPeriod is how often at most output alone makes a new view: what a pane shows is drawn without
// one.
const outputPeriod = 100 * time.Millisecond

// output signals what sessions print. It is shared by a project and its tasks.
type output struct {
	printed chan struct{} // size 1: a session has printed something
	due     atomic.Bool   // a view will be asked for
}

// Printed signals that a session has printed something, which is on the terminal of its pane. Signals
// are merged. [Conductor.Updates] says the same later, for what else depends on it.
func (c *Conductor) Printed() <-chan struct{} { return c.output.printed }

func (c *Conductor) notifyPrinted() {
	select {
	case c.output.printed <- struct{}{}:
	default: // a signal is waiting already
	}
	if c.output.due.CompareAndSwap(false, true) {
		time.AfterFunc(outputPeriod, func() {
			c.output.due.Store(false)
			c.notifyChanged()
		})
	}
}
