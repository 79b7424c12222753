package session

import (
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/session"
	"ferrus/ui/vt"
)

// The states of a slot that its owner distinguishes, as machine/session names them.
const (
	Initializing    = session.Initializing
	BuildingPrompt  = session.BuildingPrompt
	Running         = session.Running
	Interrupting    = session.Interrupting
	SessionComplete = session.SessionComplete
	CoolingDown     = session.CoolingDown
	Stopped         = session.Stopped
)

// MetLimit is the event that a session met a usage limit.
var MetLimit = session.Limited{}.Kind()

// Troubled reports whether something keeps the slot of a record from working: its session runs, or the next one
// waits.
func Troubled(e project.SessionRecord) bool {
	return e.Trouble != "" && (e.Status == project.Running || e.State == CoolingDown || e.Wait != nil)
}

// View is a slot's session as it can be shown. It is a copy and may be kept, but
// Terminal keeps changing. It is the one projection of a session that readers get. It
// has more than 12 fields because one pane shows them all. All of it is of the same
// turn, but for what Terminal shows.
type View struct {
	Slot core.Slot
	Exit string // how the last session ended, in words
	// What keeps the session from working that runs, or before a wait kept the last one, and the cure; empty:
	// nothing is known.
	Trouble string
	PID     int    // 0: no process runs
	Log     string // of the newest session, below .ferrus
	// It may be replaced by the next session; take it anew from each view.
	Terminal *vt.Locked // nil: the slot had no session yet

	// What runs, or ran last.
	Mode        core.Mode
	Agent       string // claude-code
	Model       string // empty: the agent's default
	Interactive bool   // it runs, and takes keys
	Bypass      bool   // the agent's permission checks are off
	Sandbox     string // what it runs in, as its record says; empty: unknown
	Started     time.Time

	// Where the slot is.
	State     machine.State // of the session machine
	LastEvent machine.Kind  // the event that led to State; empty: it was restored
	Session   int           // number in this slot, from 1; 0: the slot had no session yet
	// For display: no timer depends on it.
	Since time.Time // when State was entered
	// Both counters are the machine's; see its Policy for where they stop the slot.
	Errors      int  // in a row
	TotalErrors int  // since the slot got its origin; see [Job.Origin]
	Wanted      bool // the plan asks for a session
	// Not set for an interruption, which another session follows.
	Stopping bool // a process ends for good, and is not reaped

	// A wait that ends by itself; zero values: none. By the wall clock of this machine.
	Until     time.Time // when the next session may start
	Estimated bool      // the vendor named no reset time: Until is when ferrus tries again
	Limit     string    // the vendor's sentence about the usage limit; empty: it waits after an error
}

// Lives reports whether a process of the session exists.
func (v View) Lives() bool {
	switch v.State {
	case session.Spawning, session.Running, session.Interrupting:
		return true
	}
	return v.Stopping
}

// View returns the view that the last turn published. It may
// be called from any goroutine.
func (r *Runner) View() View { return *r.view.Load() }

// publish stores a view and signals the change. Everything that changes what a view
// shows ends with it. Changed is called after the view is stored, so a reader that it
// wakes sees this one or a newer.
func (r *Runner) publish() {
	d := r.snap.Data
	v := View{
		Slot: r.Slot, Exit: r.exit, PID: r.entry.PID, Log: r.entry.Log, Terminal: r.terminal,
		Mode: r.job.Mode, Agent: r.entry.AgentType, Model: r.entry.Model, Bypass: r.entry.Bypass,
		Sandbox:     r.entry.Sandbox,
		Started:     r.entry.StartedAt,
		Interactive: r.entry.Interactive && r.process != nil,
		State:       r.snap.At, LastEvent: r.event, Session: int(d.Session), Since: r.since,
		Errors: int(d.Consecutive), TotalErrors: int(d.Total), Wanted: r.wanted, Stopping: session.Stopping(r.snap),
	}
	if r.entry.Session == "" {
		v.Session = 0
	}
	if Troubled(r.Record()) {
		v.Trouble = r.entry.Trouble
	}
	if w := r.wait; w != nil {
		v.Until, v.Estimated, v.Limit = w.record.End(project.ReadClock()), w.record.Guessed, w.record.Why
	}
	r.view.Store(&v)
	if r.Changed != nil {
		r.Changed()
	}
}
