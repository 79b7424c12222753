package cli

import (
	"context"
	"fmt"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
)

// requireAgents refuses agents that are not installed and a task without checks. With workers, an agent may be
// installed there only.
func requireAgents(c config.Config, create bool) error {
	for _, role := range []config.RoleConfig{c.HQ.Supervisor, c.HQ.Executor} {
		a, err := agent.Lookup(role.Agent, customAgents(c))
		if err != nil {
			return err
		}
		if err := agent.Installed(a); err != nil && len(c.Worker) == 0 && c.Workers.NATS == "" {
			return err
		}
	}
	if create && len(c.Checks.Commands) == 0 && !c.Checks.AllowNone {
		return failure("ferrus.toml has no check commands, so nothing could be proven",
			"add them to [checks] commands, or set allow_none = true there")
	}
	return nil
}

// customAgents returns the agents of ferrus.toml as package agent takes them.
func customAgents(c config.Config) map[string]agent.Custom {
	all := map[string]agent.Custom{}
	for name, a := range c.Agent {
		all[name] = agent.Custom(a)
	}
	return all
}

// requireNoConductor refuses before anything changes; the lock itself is taken later.
func requireNoConductor(pr *project.Task) error {
	pid, held, err := pr.Store.Holder(project.ConductorLock)
	if err != nil {
		return err
	}
	if held {
		return otherConductor(pid)
	}
	return pr.CheckNoPair()
}

// requireTask refuses when there is no task to continue.
func requireTask(w core.World) error {
	switch w.State {
	case task.Idle:
		return failure("there is no task", `run: ferrus run "task text"`)
	case task.Complete:
		hints := []string{`run: ferrus run "task text"`}
		if t := w.Task; t != nil && t.Landed == nil && t.Origin == nil {
			hints = append([]string{"run: ferrus land"}, hints...)
		}
		return failure("the task is complete; there is nothing to continue", hints...)
	case task.Failed:
		return failedTask(w)
	}
	return nil
}

// clearQuitHold clears a hold that was set by quitting.
func clearQuitHold(ctx context.Context, pr *project.Task, w core.World) error {
	if w.Hold == nil || w.Hold.Reason != core.HoldQuit {
		return nil
	}
	_, err := pr.Do(ctx, store.Call{}, core.Command{Kind: core.KindResume, By: project.HumanActor(),
		Text: core.HoldQuit})
	if err != nil && !machine.IsRefusal(err) {
		return fmt.Errorf("clear the hold: %w", err)
	}
	return nil
}

// conductorFree reports whether no conductor drives the project.
func conductorFree(pr *project.Task) bool {
	_, held, err := pr.Store.Holder(project.ConductorLock)
	return err == nil && !held
}

func failedTask(w core.World) error {
	what := "the task failed"
	if w.FailureReason != "" {
		what += ": " + w.FailureReason
	}
	return failure(what, "ferrus retry tries again with fresh counters; ferrus reset archives the task")
}
