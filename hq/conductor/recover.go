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

// recover takes over what a dead conductor left running, or ends it. It runs before the first
// turn of the loop, and may be repeated: a kill in the middle leaves the same work to the next
// conductor.
func (c *Conductor) recover() error {
	c.observed.reload()
	c.gateRun.recall()
	if err := c.sessions.takeOver(); err != nil {
		return err
	}
	if err := gate.KillLost(c.Loop.Context, c.Project); err != nil && !errors.As(err, new(*store.LockedError)) {
		return err
	}
	if err := gate.KillSetup(c.Project); err != nil {
		return err
	}
	if !c.Project.HasDirectory() { // it ends the sessions of all tasks
		c.finishLanding()
	}
	return c.Project.RemoveStalePresences(true)
}

// takeOver takes over the sessions whose hosts still run, ends what else a dead conductor left
// running, and restores its slots; see [core.Recover].
func (s *sessions) takeOver() error {
	r, err := s.project.Registry()
	if err != nil {
		return err
	}
	s.registry.wants, s.registry.saved = r.Wants, r.Encoded()
	found := s.find(r)
	recovery := core.Recover(*s.world(), recorded(r, found), time.Now())
	if err := clear(s.local, recovery); err != nil {
		for _, f := range found {
			f.Detach()
		}
		return err
	}
	for _, e := range r.Agents {
		switch {
		case s.slots[e.Slot] == nil:
		case slices.Contains(recovery.Adopt, e.Slot):
			s.slots[e.Slot].Adopt(e, s.registry.wants.recordedJob(e), found[e.Slot])
		default:
			s.restore(e, slices.Contains(recovery.Release, e.Session))
		}
	}
	return nil
}

// find connects to the recorded sessions that run on in their hosts.
func (s *sessions) find(r project.Registry) map[core.Slot]session.Found {
	all := map[core.Slot]session.Found{}
	for _, e := range r.Agents {
		if s.slots[e.Slot] == nil {
			continue
		}
		found, ok, err := s.local.Find(e, s.slots[e.Slot])
		s.notices.AddErrorOnce(err)
		if ok {
			all[e.Slot] = found
		}
	}
	return all
}

// restore continues a slot whose process is gone. Held says that it held the lease.
func (s *sessions) restore(e project.SessionRecord, held bool) {
	if e.Status == project.Running {
		e.Status, e.PID, e.Exit = project.Suspended, 0, "ended while HQ was not running"
		s.usage.AddLost(e)
	}
	s.notices.AddErrorOnce(s.local.Forget(e.Slot))
	s.slots[e.Slot].Restore(e, s.registry.wants.recordedJob(e))
	if held {
		s.release(e)
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
