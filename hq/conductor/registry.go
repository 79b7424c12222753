package conductor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ferrus/agent"
	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/store"
)

// registry is what the next conductor must know if this one dies.
func (c *Conductor) registry() project.Registry {
	r := project.Registry{Wants: c.wants}
	for _, name := range core.Slots {
		s := c.slots[name]
		if s == nil || s.entry.Session == "" {
			continue
		}
		entry := s.entry
		entry.State = s.snap.At
		d := s.snap.Data
		entry.Counters = &project.Counters{
			Consecutive: int(d.Consecutive), Total: int(d.Total), Idle: int(d.Fruitless), Ending: d.Ending,
			Restarts: int(d.Restarts), Troubles: int(d.Troubles), Limits: int(d.Limits),
		}
		entry.Wait = nil
		if s.wait != nil {
			entry.Wait = &s.wait.kept
		}
		r.Agents = append(r.Agents, entry)
	}
	return r
}

func fingerprint(r project.Registry) string {
	data, err := json.Marshal(r)
	if err != nil {
		return "" // cannot be: the registry is plain data
	}
	return string(data)
}

// recover goes on with the sessions that their hosts kept, ends what else a dead
// conductor left running, gives back what that held and carries its slots on; see
// [core.Recover].
func (c *Conductor) recover() error {
	r, err := c.project.Registry()
	if err != nil {
		return err
	}
	c.reload()
	c.branch = c.project.Repo().Describe(c.ctx)
	c.recall()
	c.wants = r.Wants
	found := c.find(r)
	recovery := core.Recover(c.state.World, recorded(r, found), time.Now())
	if err := c.clear(recovery); err != nil {
		for _, h := range found {
			h.leave()
		}
		return err
	}
	for _, carried := range recovery.Slots {
		c.slot(carried.Slot).begin(carried.Number, carried.Errors)
	}
	for _, entry := range r.Agents {
		if slices.Contains(recovery.Adopt, entry.Slot) {
			c.slot(entry.Slot).adopt(entry, found[entry.Slot])
			continue
		}
		if entry.Status == project.Running {
			entry.Status, entry.PID, entry.Exit = project.Suspended, 0, "its conductor ended"
			c.lost(entry)
		}
		c.forgetHost(entry.Slot)
		s := c.slot(entry.Slot)
		s.entry, s.last = entry, entry.Exit
		s.carry(entry)
		if slices.Contains(recovery.Release, entry.Session) {
			c.release(entry)
		}
	}
	if err := gate.Bury(c.ctx, c.project); err != nil && !errors.As(err, new(*store.LockedError)) {
		return err
	}
	if err := c.burySetup(); err != nil {
		return err
	}
	c.finishLanding()
	return c.project.SweepPresences(true)
}

// clear makes room: what is in the way elsewhere is an error, what is left here is
// ended.
func (c *Conductor) clear(r core.Recovery) error {
	if b := r.Blocked; b != nil {
		return fmt.Errorf("the %s runs on host %s: end it there, or wait until its lease has lapsed", b.Slot, b.Process.Host)
	}
	return c.bury(r.End)
}

// recorded are the sessions of a registry with what is known of them now.
func recorded(r project.Registry, found map[core.Slot]hosting) []core.Recorded {
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

// bury ends what is left of sessions. What has no process on record is found by
// the session id alone.
func (c *Conductor) bury(left []core.Recorded) error {
	for _, one := range left {
		pid := 0
		if one.Process != nil {
			pid = one.Process.PID
		}
		if err := agent.KillTree(pid, one.Session); err != nil {
			return fmt.Errorf("end the %s that the last conductor left (pid %d): %w", one.Slot, pid, err)
		}
	}
	return nil
}

// recall shows the newest gate of the task, unless it is still to be run.
func (c *Conductor) recall() {
	last := c.state.World.Gate
	if last == nil || last.Verdict == "" {
		c.gate.remember(gate.Took(c.project, time.Now()))
		return
	}
	record, err := gate.Read(c.project, last.Ticket)
	if err != nil {
		c.gate.remember(gate.Took(c.project, time.Now()))
		c.gate.end(*last, string(last.Verdict), time.Now()) // its record is gone; the verdict stands
		return
	}
	c.gate.remember(gate.Took(c.project, record.Started))
	c.gate.recall(record)
}
