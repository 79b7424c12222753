package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/spec"
	"ferrus/machine"
	"ferrus/store"
)

// Do executes a command as the human. When it returns, View shows the result.
func (c *Conductor) Do(ctx context.Context, command core.Command) (core.Result, error) {
	command.By = project.HumanOf(ctx)
	result, err := c.project.Do(ctx, store.Call{}, command)
	c.loop.Ask(func() {
		c.refused.addHere(command, err)
		c.observed.reload()
	})
	return result, c.explainLate(command, err)
}

// Want asks for a supervisor's session, or a free one. It replaces an earlier request for
// the same slot; repeating a request changes nothing.
func (c *Conductor) Want(w core.Request) error {
	err := ErrClosed
	c.loop.Ask(func() {
		selected := c.observed.world().Selection
		if err = attachMilestone(c.project, selected, &w); err != nil || c.registry.wants.contains(w) {
			return
		}
		if err = c.refuseRequest(w); err != nil {
			return
		}
		w.Since = int64(c.observed.state.Seq)
		c.registry.wants.add(w)
		c.slots[w.Slot()].Resume()
	})
	return err
}

// refuseRequest returns why a request cannot be met.
func (c *Conductor) refuseRequest(w core.Request) error {
	if c.slots[w.Slot()].Lives() && !c.isLeaving(w.Slot()) {
		return fmt.Errorf("the %s already has a session; end it in its pane, or /stop", roleOf(w))
	}
	if err := c.project.CheckNoPair(); err != nil {
		return err
	}
	world := c.observed.world()
	if err := c.jobs.trusted(); err != nil {
		return err
	}
	if world.Hold != nil {
		return fmt.Errorf("the task is on hold (%s): run /resume first", world.Hold.Reason)
	}
	create := func(o machine.Option) bool { return o.Event == core.KindCreateTask }
	apart := c.settings.config.HQ.Worktree() // then the task is queued
	if w.Kind == core.ModeTask && !apart && !slices.ContainsFunc(core.OpenTransitions(*world), create) {
		return fmt.Errorf("a task is open (%s): ferrus task add queues another one; /reset archives the open one",
			world.State)
	}
	return nil
}

// isLeaving reports whether the planner's session has met its request and is stopping, so
// that the next request need not wait until it is gone.
func (c *Conductor) isLeaving(slot core.Slot) bool {
	return slot == core.SlotPlanner && c.slots[slot].Job().Mode != core.ModePhase && !c.registry.wants.has(slot)
}

// roleOf returns the role that a request asks for; panes do not show the name of its slot.
func roleOf(w core.Request) machine.Role {
	if w.Slot() == core.SlotExecutor {
		return machine.Executor
	}
	return machine.Supervisor
}

// Stop stops the pair, which can be resumed, and every session, and puts the task or the
// workflow on hold until /resume.
func (c *Conductor) Stop(ctx context.Context) error {
	c.pairs.stop(nil)
	workflow := c.View().Workflow
	if c.Held() || workflow != nil && !workflow.IsFinal() {
		if err := c.hold(ctx, core.HoldStop); err != nil {
			return err
		}
	}
	if !c.loop.Ask(func() {
		c.registry.wants = nil
		for _, r := range c.slots {
			if r.Record().Session != "" {
				r.Stop()
			}
		}
	}) {
		return ErrClosed
	}
	return nil
}

// hold puts the task on hold as the human, unless the task has ended meanwhile.
func (c *Conductor) hold(ctx context.Context, reason string) error {
	_, err := c.Do(ctx, core.Command{Kind: core.KindHold, Text: reason})
	if machine.IsRefusal(err) {
		return nil
	}
	return err
}

// Held reports whether a task is open that a hold would stop.
func (c *Conductor) Held() bool { return c.View().State.World.IsOpen() }

// SendMessage leaves a message for the session of a slot, or for its next one. It returns a
// sentence that says which.
func (c *Conductor) SendMessage(slot core.Slot, text string) (string, error) {
	if slices.Contains(core.PairSlots, slot) {
		return c.pairs.sendMessage(slot, text)
	}
	if err := c.project.PostMessage(slot, text); err != nil {
		return "", err
	}
	words := "message kept for the next session of the " + string(slot)
	if !c.loop.Ask(func() {
		if c.slots[slot].Lives() {
			words = "message sent to the " + string(slot)
		}
	}) {
		return "", ErrClosed
	}
	return words, nil
}

// CheckForce runs the check commands of ferrus.toml for the screen alone. It changes no
// state.
func (c *Conductor) CheckForce(ctx context.Context) error {
	if c.View().State.World.GateRunning() {
		return errors.New("a gate is running: see the check view, or cancel it with /check --cancel")
	}
	cfg, err := c.project.Config()
	if err != nil {
		return err
	}
	progress, over := c.gate.watch("", project.GateDefinition(cfg).Titles(), c.notifyChanged)
	dir := c.project.Workspace(c.View().State.World)
	record, err := gate.Force(ctx, c.project, gate.Options{Dir: dir, Progress: progress})
	over(record, err)
	return err
}

// Trust trusts the commands that the human was shown, if they are still the same, and clears
// a hold for missing trust.
func (c *Conductor) Trust(ctx context.Context, shown []string) error {
	if moved := new(*store.PlaceError); errors.As(c.project.CheckPlace(ctx), moved) {
		err := c.project.Adopt(ctx)
		c.loop.Ask(c.observed.reload)
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
		c.loop.Ask(c.configure)
		return errors.New("the check commands have changed: review them again")
	}
	if err := c.project.Trust(all...); err != nil {
		return err
	}
	c.loop.Ask(func() { c.configure(); c.slots.resume() })
	if hold := state.World.Hold; hold != nil && hold.Reason == core.HoldUnproven {
		_, err = c.Do(ctx, core.Command{Kind: core.KindResume, Text: core.HoldUnproven})
	}
	return err
}

// configure reads ferrus.toml, and which of its commands are not trusted here yet.
func (c *Conductor) configure() {
	c.settings.reload(c.project, &c.notices)
	_, lines, err := untrusted(c.project, *c.observed.world())
	c.notices.addErrorOnce(err)
	c.gate.trust(lines)
}

// Specs reads the specs of the project.
func (c *Conductor) Specs() ([]spec.Spec, error) { return c.project.Specs().List() }

// SelectMilestone selects a milestone of a spec as the human; with both empty it selects none.
func (c *Conductor) SelectMilestone(ctx context.Context, name, milestone string) error {
	_, err := c.project.SelectMilestone(ctx, project.HumanOf(ctx), name, milestone)
	c.loop.Ask(c.observed.reload)
	return err
}

// Input sends bytes to the agent of a slot as if typed there.
func (c *Conductor) Input(slot core.Slot, data []byte) {
	r := c.slots[slot]
	if r == nil {
		return
	}
	if err := r.Input(data); err != nil {
		c.loop.Ask(func() { c.notices.addOnce(fmt.Sprintf("cannot send keys to the %s: %v", slot, err)) })
	}
}

// Resize gives the pane of a slot a new size, also before its first session. It does not
// wait.
func (c *Conductor) Resize(slot core.Slot, columns, rows int) {
	if columns < 1 || rows < 1 {
		return
	}
	if r := c.slots[slot]; r != nil {
		r.Resize(columns, rows)
		return
	}
	c.pairs.resize(slot, columns, rows)
}

// oneWriter ends a sentence that says why no pair may start.
const oneWriter = "and a working tree has one writer at a time; /stop stops it"

// idle returns why no pair may start: the loop has a session, or is about to start one.
func (c *Conductor) idle() error {
	err := ErrClosed
	c.loop.Ask(func() {
		err = nil
		for name, r := range c.slots {
			if r.Lives() {
				err = fmt.Errorf("the %s has a session, "+oneWriter, name)
			}
		}
		if len(c.registry.wants) > 0 {
			err = errors.New("a session is about to start, " + oneWriter)
		}
	})
	return err
}
