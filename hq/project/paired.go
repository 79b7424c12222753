package project

import (
	"fmt"

	"ferrus/hq/core"
	"ferrus/machine"
)

// Paired is the error of what a pair at work keeps from beginning: there is one
// working tree, and two would write it.
type Paired struct{ PID int } // 0: it did not say

func (e *Paired) Error() string {
	return fmt.Sprintf("a pair runs here already: %s", called(e.PID))
}

func called(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// Paired returns a *[Paired] while a pair is at work, also one of this process.
func (p *Project) Paired() error {
	pid, held, err := p.Store.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return &Paired{PID: pid}
}

// begins reports that a command has the loop begin to work.
func begins(c core.Command) bool { return c.Kind == core.KindCreateTask || c.Kind == core.KindRetry }

// unpaired refuses a command that begins work while a pair is at work.
func (p *Project) unpaired(c core.Command) error {
	if !begins(c) {
		return nil
	}
	pid, held, err := p.Store.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return p.refuse(c, machine.Failed{
		Guard: "pair-at-work", Reason: "a pair works in this directory: " + called(pid),
		Expected: "one writer of the working tree", Fix: "wait for its end, or end it: /stop in HQ, Ctrl+C in ferrus pair",
	})
}
