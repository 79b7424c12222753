package run

import (
	"encoding/json"
	"fmt"
	"time"

	"ferrus/agent"
	"ferrus/hq"
	"ferrus/hq/gate"
	"ferrus/hq/project"
)

// registry is what the next conductor must know if this one dies.
func (c *Conductor) registry() project.Registry {
	r := project.Registry{Wants: c.wants}
	for _, name := range hq.Slots {
		s := c.slots[name]
		if s == nil || s.entry.Session == "" {
			continue
		}
		entry := s.entry
		entry.State = s.snap.At
		entry.Counters = &project.Counters{
			Consecutive: int(s.snap.Data.Consecutive), Total: int(s.snap.Data.Total),
			Idle: int(s.snap.Data.Fruitless), Ending: s.snap.Data.Ending,
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

// recover ends what a dead conductor left running, gives back what it held and
// carries its slots on. A process of another host is left alone.
func (c *Conductor) recover() error {
	r, err := c.project.Registry()
	if err != nil {
		return err
	}
	c.reload()
	c.branch = c.project.Repo().Describe(c.ctx)
	c.recall()
	c.wants = r.Wants
	for _, entry := range r.Agents {
		if err := c.reap(&entry); err != nil {
			return err
		}
		s := c.slot(entry.Slot)
		total := 0
		if entry.Counters != nil {
			total = entry.Counters.Total
		}
		s.begin(uint32(entry.SessionSeq)+1, uint32(total))
		s.entry, s.last = entry, entry.Exit
		c.release(entry)
	}
	return nil
}

// reap ends a recorded session.
func (c *Conductor) reap(entry *project.Entry) error {
	if entry.Status != project.Running {
		return nil
	}
	entry.Status, entry.Exit = project.Suspended, "its conductor ended"
	if entry.Process == nil {
		return nil
	}
	if _, known := project.Alive(entry.Process); !known {
		return fmt.Errorf("the %s runs on host %s: end it there, or wait until its lease has lapsed", entry.Slot, entry.Process.Host)
	}
	if err := agent.KillTree(entry.Process.PID, entry.Session); err != nil {
		return fmt.Errorf("end the %s that the last conductor left (pid %d): %w", entry.Slot, entry.PID, err)
	}
	return nil
}

// recall shows the newest gate of the task, unless it is still to be run.
func (c *Conductor) recall() {
	last := c.state.World.Gate
	if last == nil || last.Verdict == "" {
		return
	}
	record, err := gate.Read(c.project, last.Ticket)
	if err != nil {
		c.gate.end(*last, string(last.Verdict), time.Now()) // its record is gone; the verdict stands
		return
	}
	c.gate.recall(record)
}
