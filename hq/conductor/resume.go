package conductor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// Resume continues the task: it clears a hold, restarts slots that gave up, and ends the
// waits of slots that cool down or are parked. It returns a sentence about the result.
//
// Where the loop is not on hold, it resumes the pair that failed or was stopped last.
func (c *Conductor) Resume(ctx context.Context) (string, error) {
	if id, ok := c.pairs.resumable(); ok && !c.Held() {
		return c.Pair(ctx, pair.Request{Again: true, ID: id})
	}
	resumed, err := continueQueue(ctx, c.project)
	if err != nil {
		return "", err
	}
	held, err := c.clearHold(ctx)
	if err != nil {
		return "", err
	}
	if !c.loop.Ask(func() { resumed = c.slots.resume() || resumed }) {
		return "", ErrClosed
	}
	world := c.View().State.World
	if !held && !resumed || !world.IsOpen() {
		return advice.Next(world, project.HumanActor()), nil
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

// Start starts the session of one slot, even if the slot gave up or cools down. A hold
// stopped all slots, so clearing one restarts them all. It is an error, and changes
// nothing, if the slot has a session already, or the task has no work for it.
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
			c.slots.resume()
		}
	})
	return nil
}

// startable returns why the session of a slot cannot start.
func (c *Conductor) startable(slot core.Slot) error {
	if !slices.Contains(core.Slots, slot) {
		return fmt.Errorf("unknown slot %.40q; use one of: %s", slot, core.SlotNames())
	}
	err := ErrClosed
	c.loop.Ask(func() {
		free := *c.observed.world()
		free.Hold = nil
		plan := core.Plan(free, c.openWorkflow.requests(c.registry.wants), c.slots.sessions(), unmanaged(free))
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

// resumeFile asks the conductor to end every wait, by its existence, and to stop the session
// whose id it has.
const resumeFile = project.MessagesDir + "/go-on"

// TakeLease takes the lease from its holder as the human, and asks the conductor, if there is
// one, to stop that session if it is its own. It returns the name of the holder; empty:
// there was none.
func TakeLease(ctx context.Context, p *project.Task) (holder string, err error) {
	state, err := p.World()
	if err != nil || !state.World.IsClaimed() {
		return "", err
	}
	_, err = p.Do(ctx, store.Call{}, core.Command{Kind: core.KindRelease, By: project.HumanOf(ctx)})
	if claim := state.World.Claim; err == nil && claim != nil && claim.Managed {
		err = p.Store.WriteFile(resumeFile, []byte(claim.Session))
	}
	return state.World.ClaimedBy, err
}

// ResumeAll ends the waits of all slots, for a usage limit or after an error, and restarts
// slots that gave up; it reports whether there was a wait. It asks the conductor of the
// project; without one it removes the waits from the registry itself.
func ResumeAll(ctx context.Context, p *project.Task) (waited bool, err error) {
	continued, err := continueQueue(ctx, p)
	if err != nil {
		return false, err
	}
	waited, err = resumeSlots(p)
	return waited || continued, err
}

// resumeSlots is ResumeAll for the slots of one task.
func resumeSlots(p *project.Task) (waited bool, err error) {
	lock, err := p.Store.TryLock(project.ConductorLock)
	if errors.As(err, new(*store.LockedError)) {
		r, err := p.Registry()
		if err != nil {
			return false, err
		}
		waited = endWaits(r)
		stopped := func(e project.SessionRecord) bool { return e.State == session.Stopped }
		if !waited && !slices.ContainsFunc(r.Agents, stopped) {
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

// endWaits removes the waits from a registry, and reports whether there were any.
func endWaits(r project.Registry) (found bool) {
	for i := range r.Agents {
		found = found || r.Agents[i].Wait != nil
		r.Agents[i].Wait = nil
	}
	return found
}

// resumeOnRequest does what ResumeAll or TakeLease asked for.
func (c *Conductor) resumeOnRequest() {
	session, err := c.project.Store.ReadFile(resumeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err = errors.Join(err, c.project.Store.Remove(resumeFile)); err != nil {
		c.notices.addOnce(err.Error())
		return
	}
	c.slots.resume()
	c.supersede(&core.Claim{Session: string(session)})
}

// supersede stops the session whose claim was taken, if it is one of ours.
func (c *Conductor) supersede(claim *core.Claim) {
	if claim == nil {
		return
	}
	if r := c.slots.living(claim.Session); r != nil {
		r.Supersede()
	}
}
