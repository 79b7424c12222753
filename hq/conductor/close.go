package conductor

import (
	"context"
	"errors"

	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

// Close stops every session, waits until each is reaped, and releases the conductor's lock.
// With hold, it puts an open task or workflow on hold, as /quit does; without, the next
// conductor continues by itself.
func (c *Conductor) Close(hold bool) error {
	why := pair.ErrDetached
	if hold {
		why = nil
	}
	c.pairs.Stop(why)
	var err error
	if hold && c.holdable() && c.commands.newest().Hold == nil {
		err = c.commands.hold(context.Background(), core.HoldQuit)
	}
	return errors.Join(err, c.finish(c.stopAll, hold, func(of *Conductor) error { return of.Close(hold) }))
}

// Detach releases the conductor's lock and leaves every session to its host, for the next
// conductor to take over. With [Options.StopOnExit] it stops them, as Close does.
func (c *Conductor) Detach() error {
	if c.options.StopOnExit {
		return c.Close(false)
	}
	c.pairs.Stop(pair.ErrDetached) // the next conductor runs its turn again
	return c.finish(c.leaveAll, false, (*Conductor).Detach)
}

// finish runs begin on the loop, ends the conductors of tasks, waits until nothing is left, and
// ends the loop. With hold, it then holds what the queue started meanwhile.
func (c *Conductor) finish(begin func(), hold bool, task func(*Conductor) error) error {
	if c.options.Headless { // no screen shows its inbox later
		c.Loop.Ask(func() { c.needs.Reconcile(c.settings.config, c.observed.world(), c.inbox, true) })
	}
	if !c.Loop.Ask(begin) {
		return ErrClosed
	}
	err := c.queue.End(task)
	<-c.quiet
	c.server.Close()
	c.Loop.Close()
	if hold {
		err = errors.Join(err, c.holdStarted())
	}
	return errors.Join(err, c.queue.Close(), c.observed.lock.Close())
}

// holdStarted puts the tasks on hold that the queue started after Close was called.
func (c *Conductor) holdStarted() error {
	all, err := c.queue.Started()
	for _, of := range append(all, c.Project) {
		if state, unknown := of.World(); unknown != nil || state.World.Hold != nil || !state.World.IsOpen() {
			continue // Close has reported what cannot be read.
		}
		_, refused := of.Do(context.Background(), store.Call{}, core.Command{Kind: core.KindHold, Text: core.HoldQuit,
			By: project.HumanActor()})
		if !machine.IsRefusal(refused) {
			err = errors.Join(err, refused)
		}
	}
	return err
}

// leaveAll saves the registry, and detaches from the sessions.
func (c *Conductor) leaveAll() {
	c.phase = detaching
	c.registry.save() //nolint:errcheck // the next conductor goes by what is there
	for _, r := range c.slots {
		r.Detach()
	}
	c.gateRun.cancel()
	c.baseRun.stop()
}

// stopAll starts nothing any more and stops every session. A session whose work is done gets
// its grace to end by itself.
func (c *Conductor) stopAll() {
	c.phase = stopping
	for _, r := range c.slots {
		r.Release(!finished(r, c.observed.world()))
	}
	c.gateRun.cancel()
	c.baseRun.stop()
}

// finished reports whether a session did something and has nothing left to do: it neither
// holds the lease nor waits for the human's answer.
func finished(r *session.Runner, w *core.World) bool {
	e := r.Record()
	return e.Accepted && !e.Interactive &&
		(w.Claim == nil || w.Claim.Session != e.Session) &&
		(w.Question == nil || w.Question.Session != e.Session)
}

// reconcileClosing signals Close once nothing is left to wait for.
func (c *Conductor) reconcileClosing() {
	for _, r := range c.slots {
		if r.Lives() && c.phase == stopping {
			return
		}
	}
	if c.gateRun.current == nil && c.baseRun.cancel == nil && c.phase != closed {
		c.phase = closed
		c.registry.save() //nolint:errcheck // the next conductor goes by what is there
		close(c.quiet)
	}
}
