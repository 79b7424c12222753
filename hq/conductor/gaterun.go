package conductor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

// gateRun is the ticket that this conductor runs.
type gateRun struct {
	ticket uint64
	cancel context.CancelFunc
}

// gateAgain is how long the conductor waits before it looks again whether a
// runner that was there before it has died.
const gateAgain = 2 * time.Second

// settleGate starts the runner of the gate that should be going on. A runner
// that sees its ticket gone ends by itself.
func (c *Conductor) settleGate() {
	world := c.state.World
	if !world.GateRunning() || c.gateRun != nil && c.gateRun.ticket == world.Gate.Ticket {
		return
	}
	if c.gateRun != nil {
		c.gateRun.cancel()
	}
	c.runGate(*world.Gate)
}

func (c *Conductor) runGate(g core.Gate) {
	ctx, cancel := context.WithCancel(c.ctx)
	this := &gateRun{ticket: g.Ticket, cancel: cancel}
	c.gateRun = this
	c.gate.begin(g.Ticket, g.Attempt, c.commands(), time.Now())
	c.ended.Go(func() {
		defer cancel()
		err := gate.Run(ctx, c.project, g.Ticket, gate.Options{Progress: func(p checks.Progress) { c.gate.progress(p); c.poke() }})
		c.later(func() { c.gateOver(this, err) })
	})
}

// gateOver clears the runner. One that another process runs is looked at again
// after a while: if that process dies, the ticket is ours.
func (c *Conductor) gateOver(this *gateRun, err error) {
	if held := (*store.LockedError)(nil); errors.As(err, &held) {
		c.after(gateAgain, func() { c.forget(this) })
		return
	}
	if err != nil && c.ctx.Err() == nil {
		c.deny(fmt.Errorf("the gate could not be run: %w", err))
		c.after(gateAgain, func() { c.forget(this) })
		return
	}
	c.forget(this)
	c.reload()
}

func (c *Conductor) forget(this *gateRun) {
	if c.gateRun == this {
		c.gateRun = nil
	}
}

// commands are those of the running gate: pinned with the task.
func (c *Conductor) commands() []string {
	if task := c.state.World.Task; task != nil && task.Definition != nil {
		return task.Definition.Titles()
	}
	return project.Definition(c.config).Titles()
}

// gateEnded takes a verdict from the journal to the check view.
func (c *Conductor) gateEnded(line store.Line) {
	gate := c.state.World.Gate
	if gate == nil || machine.Kind(line.Event) != "checked" && machine.Kind(line.Event) != "check_cancelled" {
		return
	}
	c.gate.end(*gate, line.Why, time.Now())
}
