package conductor

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"ferrus/hq/conductor/gateview"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/store"
)

// commands are the human's commands to the task.
type commands struct {
	*observed
	refused refusals
	view    *atomic.Pointer[View]
	gate    *gateview.Watch
	roles   *roles
	slots   slots
	changed func()
}

// Do executes a command as the human. When it returns, View shows the result.
func (c *commands) Do(ctx context.Context, command core.Command) (core.Result, error) {
	command.By = project.HumanOf(ctx)
	result, err := c.project.Do(ctx, store.Call{}, command)
	c.loop.Ask(func() {
		c.refused.addHere(command, err)
		c.reload()
	})
	return result, c.explainLate(command, err)
}

// explainLate finds the decision that was made before a refused one, about the same.
func (c *commands) explainLate(command core.Command, err error) error {
	if command.Ticket == 0 || !machine.IsRefusal(err) || !journal.IsDecision(command.Kind) {
		return err
	}
	v := c.view.Load()
	for _, e := range v.Journal {
		if e.Seq > command.Ticket && journal.Decides(e, command, v.State.World) {
			return &journal.DecidedError{Decision: e, Refusal: err}
		}
	}
	return err
}

// continueQueue makes all tasks try their accounts again, and renews the queue's budget. It reports
// whether anything waited for that.
func continueQueue(ctx context.Context, p *project.Task) (waited bool, err error) {
	q, err := queue.Open(p.Main())
	if errors.Is(err, store.ErrNone) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return q.Continue(ctx, project.HumanOf(ctx))
}

// hold puts the task on hold as the human, unless the task has ended meanwhile.
func (c *commands) hold(ctx context.Context, reason string) error {
	_, err := c.Do(ctx, core.Command{Kind: core.KindHold, Text: reason})
	if machine.IsRefusal(err) {
		return nil
	}
	return err
}

// holdable reports whether a task or a workflow is open that a hold would stop, also one that the view does
// not show yet.
func (c *commands) holdable() bool {
	if c.newest().IsOpen() {
		return true
	}
	_, err := workflow.Open(c.project).Find()
	return err == nil
}

// newest returns the state on disk, or the last good one.
func (c *commands) newest() core.World {
	if state, err := c.project.World(); err == nil {
		return state.World
	}
	return c.view.Load().State.World
}

// clearHold clears the task's hold, and reports whether there was one.
func (c *commands) clearHold(ctx context.Context) (held bool, err error) {
	if held = c.view.Load().State.World.Hold != nil; held {
		_, err = c.Do(ctx, core.Command{Kind: core.KindResume})
	}
	return held, err
}

// CheckForce runs the check commands of ferrus.toml for the screen alone. It changes no
// state.
func (c *commands) CheckForce(ctx context.Context) error {
	if c.view.Load().State.World.GateRunning() {
		return errors.New("a gate is running: see the check view, or cancel it with /check --cancel")
	}
	cfg, err := c.project.Config()
	if err != nil {
		return err
	}
	progress, over := c.gate.Track("", project.GateDefinition(cfg).Titles(), c.changed)
	dir := c.project.Workspace(c.view.Load().State.World)
	record, err := gate.Force(ctx, c.project, gate.Options{Dir: dir, Progress: progress})
	over(record, err)
	return err
}

// Trust trusts the commands that the human was shown, if they are still the same, and clears
// a hold for missing trust.
func (c *commands) Trust(ctx context.Context, shown []string) error {
	if moved := new(*store.PlaceError); errors.As(c.project.CheckPlace(ctx), moved) {
		err := c.project.Adopt(ctx)
		c.loop.Ask(c.reload)
		return err
	}
	state, err := c.project.World()
	if err != nil {
		return err
	}
	all, lines, err := untrusted(c.project, state.World)
	if err != nil {
		return err
	}
	if !slices.Equal(lines, shown) {
		c.loop.Ask(c.roles.configure)
		return errors.New("the check commands have changed: review them again")
	}
	if err := c.project.Trust(all...); err != nil {
		return err
	}
	c.loop.Ask(func() { c.roles.configure(); c.slots.resume() })
	if hold := state.World.Hold; hold != nil && hold.Reason == core.HoldUnproven {
		_, err = c.Do(ctx, core.Command{Kind: core.KindResume, Text: core.HoldUnproven})
	}
	return err
}

// SetModel writes the model of a role to ferrus.toml, and changes what the open task has
// pinned; empty means the agent's default.
func (c *commands) SetModel(role, model string) error {
	return c.reloadAfter(c.project.SetModel(c.loop.Context, role, model, c.pin))
}

// SwitchAgent gives a role to another agent, with its default model: in ferrus.toml, and in
// what the open task has pinned. Permissions stay.
func (c *commands) SwitchAgent(role, agent string) error {
	err := ErrClosed
	c.loop.Ask(func() { err = c.roles.local.Ready(agent) })
	if err != nil {
		return err
	}
	return c.reloadAfter(c.project.SwitchAgent(c.loop.Context, role, agent, c.pin))
}

// pin executes the command that changes the pin of the task.
func (c *commands) pin(command core.Command) error {
	_, err := c.Do(c.loop.Context, command)
	return err
}

// reloadAfter reads ferrus.toml and the record again after a change of the agents.
func (c *commands) reloadAfter(_ bool, err error) error {
	c.loop.Ask(c.reload)
	return err
}

// Specs reads the specs of the project.
func (c *commands) Specs() ([]spec.Spec, error) { return c.project.Specs().List() }

// SelectMilestone selects a milestone of a spec as the human; with both empty it selects none.
func (c *commands) SelectMilestone(ctx context.Context, name, milestone string) error {
	_, err := c.project.SelectMilestone(ctx, project.HumanOf(ctx), name, milestone)
	c.loop.Ask(c.reload)
	return err
}
