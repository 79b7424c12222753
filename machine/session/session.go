// Package session is the machine of one slot: the place in which one agent process
// lives at a time. A session is made ready, prompted, spawned, run, interrupted or
// told to end, left to cool down, and stopped when it fails too often.
//
// Make a snapshot with [New], or with [Restore] from what a dead conductor wrote
// down. Put every event to [Step], carry out the effects in their order, at once,
// and keep the snapshot that comes back. A refusal changes nothing; a refusal with
// the code STALE is a late event and may be dropped.
//
// [Table] is the whole of it. Everything that outlives a step is in [Data], so the
// runner of a slot needs no flags of its own. Texts and times are never in it: they
// come with an event and leave with an effect.
package session

import (
	"slices"
	"time"

	"ferrus/machine"
)

// The states.
const (
	Initializing    machine.State = "Initializing"
	BuildingPrompt  machine.State = "BuildingPrompt"
	Spawning        machine.State = "Spawning"
	Running         machine.State = "Running"
	Interrupting    machine.State = "Interrupting"
	SessionComplete machine.State = "SessionComplete"
	CoolingDown     machine.State = "CoolingDown"
	Stopped         machine.State = "Stopped"
)

// States in the order in which a session meets them.
var States = []machine.State{
	Initializing, BuildingPrompt, Spawning, Running, Interrupting, SessionComplete, CoolingDown, Stopped,
}

// Data is what a slot remembers of its sessions.
type Data struct {
	// Session numbers the process that lives, lived last or comes next: from 1,
	// never given twice in a slot.
	Session uint32 `json:"session_seq"`
	// Ending is the number of a process whose state was left before it was reaped;
	// 0: there is none. No prompt is ready while it is set.
	Ending uint32 `json:"ending,omitempty"`
	// Cause is the event by which the process that is still there was told to end;
	// empty: it was not told. It goes with the process.
	Cause machine.Kind `json:"cause,omitempty"`

	Counters

	Resting  bool `json:"resting,omitempty"`  // SessionComplete waits for BackoffElapsed after a fruitless session
	Parked   bool `json:"parked,omitempty"`   // CoolingDown waits for the end of a usage limit, not after an error
	Urgent   bool `json:"urgent,omitempty"`   // a message came while spawning
	Reported bool `json:"reported,omitempty"` // the human was told of the trouble of the process that lives
}

// Counters are what a slot counts, each up to the limit that it names. All of them start
// at 0 with a new task.
type Counters struct {
	Consecutive uint32 `json:"consecutive_errors"`  // errors in a row: Policy.MaxConsecutive
	Total       uint32 `json:"total_errors"`        // errors of this task: Policy.MaxTotal
	Fruitless   uint32 `json:"fruitless,omitempty"` // successes in a row without an accepted call: FruitlessLimit
	Restarts    uint32 `json:"restarts,omitempty"`  // successes that left the work undone: RestartLimit
	Troubles    uint32 `json:"troubles,omitempty"`  // sessions in a row that ended in a lasting trouble: TroubleLimit
	Limits      uint32 `json:"limits,omitempty"`    // usage limits in a row without a reset time: limitSteps
}

// Snap is where a slot is.
type Snap = machine.Snap[Data]

// Policy bounds errors. The error that reaches either number stops the slot; a
// number below 1 counts as 1.
type Policy struct{ MaxConsecutive, MaxTotal int }

// What is put up with before the human is asked.
const (
	FruitlessLimit = 3 // successes in a row without any accepted call
	RestartLimit   = 3 // restarts after a success that left the work undone
	TroubleLimit   = 2 // sessions in a row that end in a trouble the next one would end in too
)

// New returns a slot without a session. Session is the number of the first process,
// at least 1; total carries the errors of the task on.
func New(session, total uint32) Snap {
	return Snap{At: Initializing, Data: Data{Session: max(session, 1), Counters: Counters{Total: total}}}
}

// Restore returns the slot of a conductor that is gone, in a state that it recorded
// for the session with a number. The caller knows that the recorded state still
// holds: that the process of Spawning or Running lives, or that the wait of
// CoolingDown or SessionComplete is not over; parked says that a usage limit is
// waited for. Any other state is that of a slot without a session.
func Restore(at machine.State, number uint32, c Counters, parked bool) Snap {
	d := Data{Session: max(number, 1), Counters: c}
	switch at {
	case Spawning, Running:
	case CoolingDown:
		d.Parked = parked
	case SessionComplete:
		d.Resting = true
	default:
		at, d.Session = Initializing, number+1
	}
	return Snap{At: at, Data: d}
}

// Living returns the number of the process that is there or is not reaped yet; 0:
// there is none.
func Living(s Snap) uint32 {
	if lives(s) {
		return s.Data.Session
	}
	return s.Data.Ending
}

// Undone reports a process whose end leaves its work undone, if that is still wanted.
func Undone(s Snap) bool { return slices.Contains(alive, s.At) && !over(s) }

// Waiting reports a slot that BackoffElapsed or Resumed is to wake.
func Waiting(s Snap) bool {
	return s.At == CoolingDown || s.At == SessionComplete && s.Data.Resting
}

// Stopping reports a process that was told to end for good: its slot does not wait
// for it in order to pass a message on.
func Stopping(s Snap) bool {
	return s.Data.Cause != "" && s.At != Interrupting
}

// BackoffAfter returns the wait after n errors in a row: 2 s doubled, at most 60 s.
func BackoffAfter(n int) time.Duration { return doubled(2*time.Second, time.Minute, n) }

// LimitAfter returns the wait for the n-th usage limit in a row that names no reset
// time: 5 minutes doubled, at most an hour.
func LimitAfter(n int) time.Duration { return doubled(5*time.Minute, time.Hour, n) }

// limitSteps is the number of limits in a row from which on LimitAfter is longest.
const limitSteps = 5

// doubled returns first for n = 1, twice as much for each further n, at most longest.
func doubled(first, longest time.Duration, n int) time.Duration {
	if n < 1 {
		return 0
	}
	return min(first<<min(n-1, 10), longest)
}

// Step answers an event that ferrus saw. The error is a *machine.Refusal, and
// nothing has changed then.
func Step(p Policy, s Snap, e machine.Event) (Snap, []machine.Effect, error) {
	return Table(p).Step(s, machine.Ferrus, e)
}
