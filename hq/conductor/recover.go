package conductor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// recover takes over the sessions whose hosts still run, ends what else a dead conductor
// left running, releases its lease and restores its slots; see [core.Recover]. It runs
// before the first turn of the loop, and may be repeated: a kill in the middle leaves the
// same work to the next conductor.
func (c *Conductor) recover() error {
	r, err := c.project.Registry()
	if err != nil {
		return err
	}
	c.observed.reload()
	c.gateRun.recall()
	c.registry.wants, c.registry.saved = r.Wants, r.Encoded()
	found := c.find(r)
	recovery := core.Recover(*c.observed.world(), recorded(r, found), time.Now())
	if err := clear(c.local, recovery); err != nil {
		for _, f := range found {
			f.Detach()
		}
		return err
	}
	for _, e := range r.Agents {
		if c.slots[e.Slot] == nil {
			continue
		}
		if slices.Contains(recovery.Adopt, e.Slot) {
			c.slots[e.Slot].Adopt(e, c.registry.wants.recordedJob(e), found[e.Slot])
			continue
		}
		c.restore(e, slices.Contains(recovery.Release, e.Session))
	}
	if err := gate.KillLost(c.loop.Context, c.project); err != nil && !errors.As(err, new(*store.LockedError)) {
		return err
	}
	if err := gate.KillSetup(c.project); err != nil {
		return err
	}
	if !c.project.HasDirectory() { // it ends the sessions of all tasks
		c.finishLanding()
	}
	return c.project.RemoveStalePresences(true)
}

// find connects to the recorded sessions that run on in their hosts.
func (c *Conductor) find(r project.Registry) map[core.Slot]session.Found {
	all := map[core.Slot]session.Found{}
	for _, e := range r.Agents {
		if c.slots[e.Slot] == nil {
			continue
		}
		found, ok, err := c.local.Find(e, c.slots[e.Slot])
		c.notices.addErrorOnce(err)
		if ok {
			all[e.Slot] = found
		}
	}
	return all
}

// restore continues a slot whose process is gone. Held says that it held the lease.
func (c *Conductor) restore(e project.SessionRecord, held bool) {
	if e.Status == project.Running {
		e.Status, e.PID, e.Exit = project.Suspended, 0, "its conductor ended"
		c.usage.addLost(e)
	}
	c.notices.addErrorOnce(c.local.Forget(e.Slot))
	c.slots[e.Slot].Restore(e, c.registry.wants.recordedJob(e))
	if held {
		c.release(e)
	}
}

// clear ends what a dead conductor left running. A session on another machine cannot be
// ended from here: it is an error.
func clear(local *session.Local, r core.Recovery) error {
	if b := r.Blocked; b != nil {
		const blocked = "the %s is running on host %s; stop it there, or wait for its lease to expire"
		return fmt.Errorf(blocked, b.Slot, b.Process.Host)
	}
	for _, one := range r.End {
		pid := 0
		if one.Process != nil {
			pid = one.Process.PID
		}
		if err := local.End(one.Slot, one.Session, pid); err != nil {
			return err
		}
	}
	return nil
}

// recorded returns the sessions of a registry with what is known of them now.
func recorded(r project.Registry, found map[core.Slot]session.Found) []core.Recorded {
	var all []core.Recorded
	for _, e := range r.Agents {
		_, known := process.Alive(e.Process)
		_, hosted := found[e.Slot]
		one := core.Recorded{
			Slot: e.Slot, Session: e.Session, Number: uint32(e.SessionSeq),
			Running: e.Status == project.Running, Process: e.Process, Known: known, Hosted: hosted,
		}
		if e.Counters != nil {
			one.Errors = uint32(e.Counters.Total)
		}
		all = append(all, one)
	}
	return all
}
