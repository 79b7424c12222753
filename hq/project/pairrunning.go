package project

import (
	"fmt"

	"ferrus/hq/core"
	"ferrus/machine"
)

// PairRunningError reports that a pair runs, and so nothing else may write the working
// tree.
type PairRunningError struct{ PID int } // 0: unknown

func (e *PairRunningError) Error() string {
	return fmt.Sprintf("a pair is already running here: %s", processName(e.PID))
}

func processName(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// CheckNoPair returns a *[PairRunningError] while a pair runs, also in this process.
func (p *Project) CheckNoPair() error {
	pid, held, err := p.Files.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return &PairRunningError{PID: pid}
}

// startsWork reports whether a command makes the loop start to work.
func startsWork(c core.Command) bool {
	return c.Kind == core.KindCreateTask || c.Kind == core.KindRetry
}

// refuseWhilePaired refuses a command that starts work while a pair runs.
func (t *Task) refuseWhilePaired(c core.Command) error {
	if !startsWork(c) {
		return nil
	}
	pid, held, err := t.Store.Holder(PairLock)
	if err != nil || !held {
		return err
	}
	return t.refuse(c, machine.Failed{
		Guard: "pair-at-work", Reason: "a pair works in this directory: " + processName(pid),
		Expected: "one writer in the working tree",
		Fix:      "wait for it to end, or stop it: /stop in HQ, Ctrl+C in ferrus pair",
	})
}
