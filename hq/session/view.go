package session

import (
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// States of a slot that its owner tells apart, as machine/session names them.
const (
	Running         = session.Running
	Interrupting    = session.Interrupting
	SessionComplete = session.SessionComplete
	CoolingDown     = session.CoolingDown
	Stopped         = session.Stopped
)

// View is a slot's session as it can be shown: a copy, safe to keep, of a terminal
// that goes on.
type View struct {
	Slot        core.Slot
	Mode        core.Mode
	Agent       string        // claude-code
	Model       string        // empty: the agent's own default
	State       machine.State // of the session machine
	LastEvent   machine.Kind  // the event that led to State; empty: it was restored
	Session     int           // number in this slot, from 1; 0: the slot had no session yet
	Since       time.Time     // when State began
	Errors      int           // consecutive
	TotalErrors int
	Until       time.Time  // of a countdown: CoolingDown
	Estimated   bool       // Until is when it is tried again: the vendor did not name a reset time
	Limit       string     // what the vendor says of the usage limit; empty: it waits for something else
	Stopping    bool       // a process was told to end for good, and is not reaped
	Interactive bool       // lives, and may be typed into
	Bypass      bool       // permission checks of the agent are off
	Exit        string     // how the last session ended, in words
	PID         int        // 0: no process lives
	Log         string     // of the newest session, below .ferrus
	Terminal    *vt.Locked // nil: the slot had no session yet
}

// View returns the session as it was at the end of the loop's last look at it. It may
// be called from anywhere.
func (r *Runner) View() View { return *r.view.Load() }

// publish makes a view for whoever draws.
func (r *Runner) publish() {
	d := r.snap.Data
	v := View{
		Slot: r.Slot, Mode: r.job.Mode, Agent: r.entry.AgentType, Model: r.entry.Model, Bypass: r.entry.Bypass,
		State: r.snap.At, LastEvent: r.event, Session: int(d.Session), Since: r.since,
		Errors: int(d.Consecutive), TotalErrors: int(d.Total), Stopping: session.Stopping(r.snap),
		Interactive: r.entry.Interactive && r.process != nil,
		Exit:        r.exit, PID: r.entry.PID, Log: r.entry.Log, Terminal: r.terminal,
	}
	if r.entry.Session == "" {
		v.Session = 0
	}
	if w := r.wait; w != nil {
		v.Until, v.Estimated, v.Limit = w.record.End(project.ReadClock()), w.record.Guessed, w.record.Why
	}
	r.view.Store(&v)
	if r.Changed != nil {
		r.Changed()
	}
}
