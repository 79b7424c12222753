package pair

import (
	"context"
	"fmt"
	"os"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// CheckFree returns a *[RefusedError] or a *[project.PairRunningError] if something else works in
// the same tree, or may start to: another pair, a conductor, an open task, a session that
// was left running.
func CheckFree(ctx context.Context, p *project.Task) error {
	if err := p.CheckNoPair(); err != nil {
		return err
	}
	return checkNoWriter(ctx, p)
}

// checkNoWriter is CheckFree for the holder of the pair lock. It reads the state under the
// state's lock, because everything that starts to work looks for a pair under that lock.
func checkNoWriter(ctx context.Context, p *project.Task) error {
	pid, held, err := p.Store.Holder(project.ConductorLock)
	if err != nil {
		return err
	}
	if held && pid != os.Getpid() {
		return &RefusedError{
			fmt.Sprintf("HQ or ferrus run is already running here: process %d", pid),
			"use /pair in that HQ, or quit it first; ferrus status works while it runs",
		}
	}
	if err := p.Store.View(ctx, func(s store.State[core.World]) error { return checkNoTask(s.World) }); err != nil {
		return err
	}
	return checkNoSession(p)
}

// checkNoTask refuses while a task is open.
func checkNoTask(w core.World) error {
	if !w.IsOpen() {
		return nil
	}
	return &RefusedError{
		fmt.Sprintf("a task is open (%s), and a working tree has one writer at a time", w.State),
		"finish it with ferrus run, or archive it with: ferrus reset",
	}
}

// checkNoSession refuses while a session of the loop runs, with a conductor or without.
func checkNoSession(p *project.Task) error {
	r, err := p.Registry()
	if err != nil {
		return err
	}
	for _, e := range r.Agents {
		if alive, _ := process.Alive(e.Process); alive && e.Status == project.Running {
			const busy = "the %s is running here (%s, process %d), and a working tree has one writer at a time"
			return &RefusedError{fmt.Sprintf(busy, e.Slot, e.AgentType, e.PID), "stop it first: /stop in HQ"}
		}
	}
	return nil
}
