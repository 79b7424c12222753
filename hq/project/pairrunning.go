package project

import (
	"fmt"

	"ferrus/hq/core"
	"ferrus/machine"
)

// PairRunningError is the error of what a pair at work keeps from beginning: there is one
// working tree, and two would write it.
type PairRunningError struct{ PID int } // 0: it did not say

func (e *PairRunningError) Error() string {
	return fmt.Sprintf("a pair runs here already: %s", processName(e.PID))
}

func processName(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// CheckNoPair returns a *[PairRunningError] while a pair is at work, also one of this process.
func (p *Project) CheckNoPair() error {
	pid, held, err := p.Store.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return &PairRunningError{PID: pid}
}

// startsWork reports that a command has the loop begin to work.
func startsWork(c core.Command) bool {
	return c.Kind == core.KindCreateTask || c.Kind == core.KindRetry
}

// refuseWhilePaired refuses a command that begins work while a pair is at work.
func (p *Project) refuseWhilePaired(c core.Command) error {
	if !startsWork(c) {
		return nil
	}
	pid, held, err := p.Store.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return p.refuse(c, machine.Failed{
		Guard: "pair-at-work", Reason: "a pair works in this directory: " + processName(pid),
		Expected: "one writer of the working tree", Fix: "wait for its end, or end it: /stop in HQ, Ctrl+C in ferrus pair",
	})
}
