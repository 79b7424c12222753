package conductor

import (
	"slices"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/core"
	"ferrus/hq/project"
)

// settle compares what should be going on with what is, and starts or ends the
// difference. It may run at any time and any number of times.
func (c *Conductor) settle() {
	c.readOlder()
	if c.shutting {
		c.settleShut()
		return
	}
	if c.problem != "" || !c.save() {
		return // what cannot be written down is not started
	}
	c.configure()
	c.settleUse()
	c.meetWants()
	c.settleWorkspace()
	c.established()
	c.settleOrigin()
	c.settleWork()
	going := core.Plan(c.state.World, c.workWants(), c.living(), c.unmanaged())
	clear(c.going)
	for _, job := range going.Start {
		c.going[job.Slot] = true
	}
	for _, job := range going.Start {
		c.slot(job.Slot).want(job)
	}
	for name, s := range c.slots {
		switch {
		case c.going[name]:
		case slices.Contains(going.Stay, name):
			s.stay()
		default:
			s.dismiss(s.orphaned(c.state.World))
		}
	}
	c.settleMessages()
	c.settleGoOn()
	c.settleRepeats()
	c.settleGate()
	c.settleLease()
	c.save()
}

// orphaned reports whether the task that the session was started for is gone.
func (s *slot) orphaned(w core.World) bool {
	return s.entry.Mode != core.ModePhase && s.entry.Task != "" && (w.Task == nil || w.Task.ID != s.entry.Task)
}

// living is what hq.Plan must know of the slots.
func (c *Conductor) living() []core.SessionInfo {
	var all []core.SessionInfo
	for _, name := range core.Slots {
		if s := c.slots[name]; s != nil && s.entry.Session != "" {
			all = append(all, core.SessionInfo{Slot: name, Mode: s.job.Mode, TaskID: s.entry.Task, Session: s.entry.Session, Reaped: s.process == nil})
		}
	}
	return all
}

// unmanaged reports whether a session that no conductor started holds the lease
// and may still be at work.
func (c *Conductor) unmanaged() bool {
	claim := c.state.World.Claim
	if claim == nil || claim.Managed || c.state.World.ClaimedBy == "" {
		return false
	}
	if alive, known := process.Alive(claim.Process); known {
		return alive
	}
	until := c.state.World.LeaseUntil
	return until != nil && time.Now().Before(*until)
}

// settleLease renews the lease of a holder that is seen alive, at the interval
// of the configuration.
func (c *Conductor) settleLease() {
	if c.holder() == nil {
		if c.renewal != nil {
			c.renewal.Stop()
			c.renewal = nil
		}
		return
	}
	if c.renewal == nil {
		interval := time.Duration(c.config.Lease.HeartbeatIntervalSecs) * time.Second
		c.renewal = c.after(interval, func() {
			c.renewal = nil
			if s := c.holder(); s != nil {
				c.heartbeat(s)
			}
		})
	}
}

// holder is the slot whose living session holds the lease.
func (c *Conductor) holder() *slot {
	claim := c.state.World.Claim
	if claim == nil {
		return nil
	}
	for _, s := range c.slots {
		if s.process != nil && s.entry.Session == claim.Session {
			return s
		}
	}
	return nil
}

func (c *Conductor) heartbeat(s *slot) {
	c.ferrus(core.Command{Kind: "heartbeat", By: core.Actor{Session: s.entry.Session}})
}

// release gives back what a reaped session held, and takes away what its server
// said of itself.
func (c *Conductor) release(entry project.Entry) {
	c.hearLast(entry.Session)
	if err := c.project.RemovePresence(entry.Session); err != nil {
		c.once(err.Error())
	}
	if claim := c.state.World.Claim; claim != nil && claim.Session == entry.Session {
		c.ferrus(core.Command{Kind: "release", By: core.Actor{Session: entry.Session}})
	}
}

// hold has the task wait for the person, and says because of what.
func (c *Conductor) hold(reason, because string) {
	if c.state.World.Hold == nil {
		c.ferrus(core.Command{Kind: "hold", Text: reason, Because: because})
	}
}

// save writes the registry when it differs from what is on the disk. False while
// the disk takes nothing.
func (c *Conductor) save() bool {
	r := c.registry()
	text := fingerprint(r)
	if text == c.saved {
		return c.unwritten == ""
	}
	if err := c.project.SaveRegistry(r); err != nil {
		c.deny(err)
		return false
	}
	c.saved, c.unwritten = text, ""
	return true
}
