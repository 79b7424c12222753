package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/store"
)

// ErrClosed is returned by a conductor that has been closed.
var ErrClosed = errors.New("the conductor has ended")

// Do carries out a command of the person and takes its effect in at once.
func (c *Conductor) Do(ctx context.Context, command core.Command) (core.Result, error) {
	command.By = project.HumanActor()
	result, err := c.project.Do(ctx, store.Call{}, command)
	c.ask(func() {
		c.refusedHere(command, err)
		c.reload()
	})
	return result, err
}

// Want asks for a session of the supervisor's, or a free one. It takes the place
// of a want of the same slot; one that is there already, from before a crash, is
// not asked for twice.
func (c *Conductor) Want(w core.Request) error {
	err := ErrClosed
	c.ask(func() {
		if err = c.originate(&w); err != nil || c.wanted(w) {
			return
		}
		if err = c.refuseWant(w); err != nil {
			return
		}
		w.Since = int64(c.state.Seq)
		c.dropWants(w.Slot())
		c.wants = append(c.wants, w)
		c.revive(w.Slot())
	})
	return err
}

// wanted reports whether the same is wanted already.
func (c *Conductor) wanted(w core.Request) bool {
	return slices.ContainsFunc(c.wants, func(old core.Request) bool { old.Since = w.Since; return old == w })
}

// refuseWant says why a session could not be had.
func (c *Conductor) refuseWant(w core.Request) error {
	if s := c.slots[w.Slot()]; s != nil && s.lives() && !c.leaving(s) {
		return fmt.Errorf("a session of the %s runs already: end it in its pane, or /stop", roleOf(w))
	}
	if err := c.project.Paired(); err != nil {
		return err
	}
	if hold := c.state.World.Hold; hold != nil {
		return fmt.Errorf("the task is held (%s): /resume first", hold.Reason)
	}
	if w.Kind == core.ModeTask && !c.open("create_task") {
		return fmt.Errorf("a task is %s: finish it, or /reset", c.state.World.State)
	}
	return nil
}

// leaving reports that a session of the person's is done with what it was wanted
// for, and on its way out: the next one need not wait until it is gone.
func (c *Conductor) leaving(s *slot) bool {
	return s.name == core.SlotPlanner && s.job.Mode != core.ModePhase &&
		!slices.ContainsFunc(c.wants, func(w core.Request) bool { return w.Slot() == s.name })
}

// open reports whether a move may be made now by anybody.
func (c *Conductor) open(event machine.Kind) bool {
	for _, o := range core.OpenTransitions(c.state.World) {
		if o.Event == event {
			return true
		}
	}
	return false
}

// Resume lets the task go on: it clears a hold, gives slots that gave up a new
// machine, and ends the wait of those that cool down or are parked. The words say what that comes to.
func (c *Conductor) Resume(ctx context.Context) (string, error) {
	held := c.View().State.World.Hold != nil
	if held {
		if _, err := c.Do(ctx, core.Command{Kind: "resume"}); err != nil {
			return "", err
		}
	}
	revived := 0
	if !c.ask(func() {
		for name := range c.slots {
			revived += c.revive(name)
		}
	}) {
		return "", ErrClosed
	}
	world := c.View().State.World
	if !held && revived == 0 {
		return core.Next(world, machine.Human), nil
	}
	return fmt.Sprintf("the task goes on: it is %s", world.State), nil
}

// revive gives a slot that is Stopped a new machine and ends what another waits
// for; it returns how many that were.
func (c *Conductor) revive(name core.Slot) int {
	s := c.slots[name]
	if s == nil {
		return 0
	}
	before := s.snap
	s.step(session.Resumed{})
	if session.Waiting(before) || before.At == session.Stopped {
		return 1
	}
	return 0
}

// Stop ends every session and holds the task until /resume.
func (c *Conductor) Stop(ctx context.Context) error {
	if c.Held() {
		if _, err := c.Do(ctx, core.Command{Kind: "hold", Text: "stop"}); err != nil && !isRefusal(err) {
			return err
		}
	}
	if !c.ask(func() {
		c.wants = nil
		for _, s := range c.slots {
			s.step(session.OperatorStop{})
		}
	}) {
		return ErrClosed
	}
	return nil
}

// Held reports whether a task is open that a hold would keep from going on.
func (c *Conductor) Held() bool {
	switch c.View().State.World.State {
	case "Idle", "Complete", "Failed":
		return false
	}
	return true
}

// CheckForce runs the check commands as ferrus.toml has them, for the screen
// only: it changes no state.
func (c *Conductor) CheckForce(ctx context.Context) error {
	if c.View().State.World.GateRunning() {
		return errors.New("a gate is running: see the check view, or /check --cancel")
	}
	cfg, err := c.project.Config()
	if err != nil {
		return err
	}
	progress, over := c.WatchGate(project.Definition(cfg).Titles())
	record, err := gate.Force(ctx, c.project, gate.Options{Dir: c.project.Workspace(c.View().State.World), Progress: progress})
	over(record, err)
	return err
}

// CheckCancel cancels the running gate. It counts nothing.
func (c *Conductor) CheckCancel(ctx context.Context) error {
	_, err := c.Do(ctx, core.Command{Kind: "check_cancelled"})
	return err
}

// SetModel writes the model of a role to ferrus.toml; empty means the agent's own.
func (c *Conductor) SetModel(role, model string) error {
	if err := config.SetModel(c.project.Dir, role, model); err != nil {
		return err
	}
	c.ask(c.reload)
	return nil
}

// Input sends bytes to the agent of a slot as if typed there.
func (c *Conductor) Input(slot core.Slot, data []byte) {
	process, ok := c.live.Load(slot)
	if !ok {
		return
	}
	if err := process.(agent.Session).Input(data); err != nil {
		c.ask(func() { c.once(fmt.Sprintf("the %s takes no keys: %v", slot, err)) })
	}
}

// Resize gives the pane of a slot a new size, also before it has a session. It
// does not wait.
func (c *Conductor) Resize(slot core.Slot, columns, rows int) {
	if columns < 1 || rows < 1 {
		return
	}
	c.sizes.Store(slot, [2]int{columns, rows})
	select {
	case c.resized <- struct{}{}:
	default: // the loop has been told, and reads the newest sizes
	}
}

// resize takes in the sizes that panes were given.
func (c *Conductor) resize() {
	c.sizes.Range(func(name, size any) bool {
		c.slot(name.(core.Slot)).resize(size.([2]int))
		return true
	})
}
