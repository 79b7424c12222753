package core

import (
	"time"

	"ferrus/agent/process"
)

// Recorded is the newest session of a slot as a dead conductor recorded it, with what
// is known of its process now. It comes from agents.json and one look at the process
// table; neither proves what happens a moment later, which is why ending and releasing
// bear repetition.
type Recorded struct {
	Slot    Slot
	Session string
	Number  uint32 // of the session, in its slot
	// Kept, or a crash would give a failing agent all its tries again.
	Errors  uint32 // of the slot since the task began
	Running bool   // it was not reaped
	// With start time and boot, so that a pid that was given away is not mistaken for
	// it.
	Process *process.Identity // nil: the conductor died before it recorded one
	Known   bool              // Process is on this host: what is left of it can be found and ended
	Hosted  bool              // its host process keeps it running, and answers
}

// Recovery is what a new conductor does with the sessions of a dead one, before its first
// [Plan].
type Recovery struct {
	// Their hosts answered; the conductor attaches and reads on.
	Adopt   []Slot    // take over the sessions of these
	Blocked *Recorded // it runs on another host: nothing can be done here until its lease expires
	// Before anything new starts in their slots.
	End []Recorded // sessions whose remaining processes must be ended; they may be gone or unknown
	// As ferrus, since their sessions cannot any more.
	Release []string  // release the claims of these sessions
	Slots   []Carried // continue with these
}

// Carried is what a slot keeps of its last session.
type Carried struct {
	Slot   Slot
	Number uint32 // of the next session
	Errors uint32
}

// Recover decides what a new conductor does with the sessions that a dead one recorded.
//
// A session that its host process kept continues; [Plan] says whether it is still wanted.
// Any other session that was not reaped is ended, also without a recorded process: the
// conductor may have died between starting it and recording it. A process on another
// host cannot be judged or ended from here: while its lease is valid it blocks, and after
// that the lease is free and the process comes too late.
//
// Carrying out a Recovery twice is harmless, so a conductor may die during it.
func Recover(w World, recorded []Recorded, now time.Time) Recovery {
	var r Recovery
	for _, one := range recorded {
		holds := w.Claim != nil && w.Claim.Session == one.Session
		foreign := one.Running && one.Process != nil && !one.Known
		if one.Running && one.Hosted {
			r.Adopt = append(r.Adopt, one.Slot)
			continue
		}
		switch {
		case foreign && holds && !w.lapsed(now):
			return Recovery{Blocked: &one}
		case one.Running && !foreign:
			r.End = append(r.End, one)
		}
		if holds && !foreign {
			r.Release = append(r.Release, one.Session)
		}
		r.Slots = append(r.Slots, Carried{one.Slot, one.Number + 1, one.Errors})
	}
	return r
}
