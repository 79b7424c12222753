package conductor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/machine"
	"ferrus/store"
)

// Resume continues the task: it clears a hold, gives slots that gave up a new machine,
// and ends the wait of those that cool down or are parked. The words say what that
// comes to.
//
// Where nothing of the loop is held, the pair is resumed that failed or was stopped last.
func (c *Conductor) Resume(ctx context.Context) (string, error) {
	if id, ok := c.pairs.resumable(); ok && !c.Held() {
		return c.pairs.start(ctx, pair.Request{Again: true, ID: id})
	}
	held, err := c.clearHold(ctx)
	if err != nil {
		return "", err
	}
	resumed := false
	if !c.loop.Ask(func() { resumed = c.resumeSlots() }) {
		return "", ErrClosed
	}
	world := c.View().State.World
	if !held && !resumed {
		return advice.Next(world, machine.Human), nil
	}
	return fmt.Sprintf("the task continues: it is %s", world.State), nil
}

// clearHold clears the task's hold, and reports whether there was one.
func (c *Conductor) clearHold(ctx context.Context) (held bool, err error) {
	if held = c.View().State.World.Hold != nil; held {
		_, err = c.Do(ctx, core.Command{Kind: core.KindResume})
	}
	return held, err
}

// resumeSlots ends every wait, and reports whether there was one.
func (c *Conductor) resumeSlots() (any bool) {
	for _, r := range c.slots {
		any = r.Resume() || any
	}
	return any
}

// Start starts the session of one slot: it gives a slot that gave up a new machine, and
// ends the wait of one that cools down. A hold stopped all slots, so where there is one
// it is cleared for all. Nothing is changed for a slot that has a session, or that the
// task has no work for.
func (c *Conductor) Start(slot core.Slot) error {
	if err := c.startable(slot); err != nil {
		return err
	}
	held, err := c.clearHold(context.Background())
	if err != nil {
		return err
	}
	c.loop.Ask(func() {
		if c.slots[slot].Resume(); held {
			c.resumeSlots()
		}
	})
	return nil
}

// startable says why a slot's session cannot start.
func (c *Conductor) startable(slot core.Slot) error {
	if !slices.Contains(core.Slots, slot) {
		return fmt.Errorf("unknown slot %.40q; use one of: %s", slot, slotNames())
	}
	err := ErrClosed
	c.loop.Ask(func() {
		free := *c.observed.world()
		free.Hold = nil
		plan := core.Plan(free, c.work.requests(c.registry.wants), c.slots.sessions(), unmanaged(free))
		switch {
		case c.slots[slot].Lives():
			err = fmt.Errorf("the %s already has a session: /tell reaches it, /stop stops it", slot)
		case !slices.ContainsFunc(plan.Start, func(j core.Job) bool { return j.Slot == slot }):
			err = fmt.Errorf("there is nothing for the %s to do: the task is %s", slot, free.State)
		default:
			err = nil
		}
	})
	return err
}

func slotNames() string {
	var names []string
	for _, s := range core.Slots {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// resumeFile asks the conductor to end every wait.
const resumeFile = project.MessagesDir + "/go-on"

// ResumeAll ends the waits of all slots, for a usage limit or after an error, and has
// those continue that gave up; it reports whether there was a wait. It asks the conductor
// of the project; without one it takes the waits out of the registry itself.
func ResumeAll(p *project.Project) (waited bool, err error) {
	lock, err := p.Store.TryLock(project.ConductorLock)
	if errors.As(err, new(*store.LockedError)) {
		r, err := p.Registry()
		if err != nil {
			return false, err
		}
		waited = endWaits(r)
		if !waited && !slices.ContainsFunc(r.Agents, func(e project.SessionRecord) bool { return e.State == session.Stopped }) {
			return false, nil
		}
		return waited, p.Store.WriteFile(resumeFile, nil)
	}
	if err != nil {
		return false, err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	r, err := p.Registry()
	if err != nil || !endWaits(r) {
		return false, err
	}
	return true, p.SaveRegistry(r)
}

// endWaits takes the waits out of a registry; false when there is none.
func endWaits(r project.Registry) (found bool) {
	for i := range r.Agents {
		found = found || r.Agents[i].Wait != nil
		r.Agents[i].Wait = nil
	}
	return found
}

// resumeOnRequest does what ResumeAll asks for.
func (c *Conductor) resumeOnRequest() {
	_, err := c.project.Store.ReadFile(resumeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err = errors.Join(err, c.project.Store.Remove(resumeFile)); err != nil {
		c.notices.once(err.Error())
		return
	}
	c.resumeSlots()
}
