package conductor

import (
	"errors"
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/gate"
	"ferrus/machine"
)

// PairView is the run of a pair of agents as the screen names it. The conductor
// knows none: who plays one beside it puts it into the view.
type PairView struct {
	ID, Task, Mode   string
	State            machine.State
	Iteration, Limit int
	Signal           string // of the newest turn; empty: there was none
	Running          bool   // it goes on; else it is over, or waits for the person
	Began, Ended     time.Time
	Why              string // why it is neither running nor complete
	Resume           string // the command that goes on with it; empty: nothing does
}

// PairWish is what a person wants of a pair. Empty fields are for ferrus.toml.
type PairWish struct {
	Task, Primary, Secondary, Mode string
	Done                           string // the word that ends the work
	Limit                          int
	Again                          bool   // go on with a run, not a new one
	ID                             string // of that run; empty: the newest
	Accept                         bool   // what the person was asked about may be
}

// Idle returns why nothing may begin beside the conductor: it has a session, or is
// about to start one.
func (c *Conductor) Idle() error {
	err := ErrClosed
	c.loop.Ask(func() {
		err = nil
		for name, s := range c.slots {
			if s.Lives() {
				err = fmt.Errorf("the %s works, and two would work in one tree: /stop ends it", name)
			}
		}
		if len(c.registry.wants) > 0 {
			err = errors.New("a session is about to start, and two would work in one tree: /stop ends it")
		}
	})
	return err
}

// Poke has the view looked at again.
func (c *Conductor) Poke() { c.notifyChanged() }

// Say tells the person something.
func (c *Conductor) Say(isError bool, text string) {
	c.loop.Ask(func() { c.notices.add(isError, "%s", text) })
}

// WatchGate shows a gate that somebody else runs, as one that the person forced.
func (c *Conductor) WatchGate(commands []string) (progress func(checks.Progress), over func(gate.Record, error)) {
	c.gate.begin(0, 0, commands, time.Now())
	c.notifyChanged()
	progress = func(p checks.Progress) { c.gate.progress(p); c.notifyChanged() }
	return progress, func(r gate.Record, err error) { c.gate.forced(r, err); c.notifyChanged() }
}
