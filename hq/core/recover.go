package core

import (
	"time"

	"ferrus/agent/process"
)

// Recorded is the newest session of a slot as a conductor that is gone wrote it
// down, with what can be said of its process now.
type Recorded struct {
	Slot    Slot
	Session string
	Number  uint32            // of the session, in its slot
	Errors  uint32            // of the slot since the task began
	Running bool              // it was not reaped
	Process *process.Identity // nil: it was written down before it had one
	Known   bool              // Process is one of this host: what is left of it can be found and ended
	Hosted  bool              // it goes on without a conductor, and its host answers
}

// Recovery is what a new conductor does with what is left of the one before,
// before it looks at what should be going on.
type Recovery struct {
	Adopt   []Slot     // go on with the sessions of these
	Blocked *Recorded  // it works on another host: nothing can be done here now
	End     []Recorded // end whatever is left of these; their processes may be gone, or have none on record
	Release []string   // give back the claims of these sessions
	Slots   []Carried  // go on with these
}

// Carried is what a slot takes over from its last session.
type Carried struct {
	Slot   Slot
	Number uint32 // of the next session
	Errors uint32
}

// Recover decides what a new conductor does with the sessions that the one before
// recorded. A session that its host kept goes on; whether it is still wanted is for
// Plan to say. Another that was not reaped is ended, also when nothing says that it
// ever had a process: its conductor may have died between starting it and
// writing that down. A process of another host is neither judged dead nor ended:
// as long as its lease is good it is in the way, and after that the lease is
// anybody's and the process comes too late. Doing all of it twice is harmless.
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
