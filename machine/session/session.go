// Package session is the machine of one slot: the place of at most one agent process.
// A session is prepared, prompted, spawned, run, and interrupted or stopped; it cools
// down after an error, and the slot stops for good after too many.
//
// Make a snapshot with [New], or with [Restore] from the records of a dead conductor.
// Pass every event to [Step], carry out the effects at once and in their order, and
// keep the snapshot that is returned. A refusal changes nothing; one with the code
// STALE means that the event came too late and can be dropped.
//
// [Table] holds all of its rules. Everything that outlives a step is in [Data], so the
// runner of a slot needs no flags of its own. It never contains texts or times: they
// come with an event and leave with an effect.
package session

import (
	"slices"
	"time"

	"ferrus/machine"
)

// The states. They are stored in agents.json under these names.
const (
	Initializing   machine.State = "Initializing"   // no session yet; the workspace is not ready
	BuildingPrompt machine.State = "BuildingPrompt" // the next prompt is being built
	// A process is here, so it counts as living.
	Spawning machine.State = "Spawning" // the process is started and not yet established
	Running  machine.State = "Running"  // established: it called a tool, or lived for a while
	// Not an error, however it exits.
	Interrupting    machine.State = "Interrupting"    // stopped for a message; the next prompt carries it
	SessionComplete machine.State = "SessionComplete" // ended without an error; the slot may start again
	// BackoffElapsed or Resumed ends it.
	CoolingDown machine.State = "CoolingDown" // waits after an error, or for a usage limit
	Stopped     machine.State = "Stopped"     // starts nothing until the human resumes, or another task
)

// States in the order in which a session meets them.
var States = []machine.State{
	Initializing, BuildingPrompt, Spawning, Running, Interrupting, SessionComplete, CoolingDown, Stopped,
}

// Data is what a slot remembers of its sessions. It is stored with the slot in
// agents.json, member by member: see the runner's record.
type Data struct {
	// Session is the number of the process that runs, ran last or comes next: from 1,
	// never given twice in a slot.
	Session uint32 `json:"session_seq"`
	// Ending is the number of a process whose state was left before it was reaped; 0:
	// there is none. No new process starts while it is set.
	Ending uint32 `json:"ending,omitempty"`
	// Cause is the kind of the event for which the process is being stopped; empty: it
	// is not. It is cleared with the process.
	Cause machine.Kind `json:"cause,omitempty"`

	Counters

	// The slot may start again only after it.
	Resting bool `json:"resting,omitempty"` // SessionComplete waits for BackoffElapsed after a fruitless session
	Parked  bool `json:"parked,omitempty"`  // CoolingDown waits for the end of a usage limit, not after an error
	// Acted on as soon as the session is established.
	Urgent bool `json:"urgent,omitempty"` // a message came while spawning
	// So that one trouble is one notice.
	Reported bool `json:"reported,omitempty"` // the human knows of the trouble of the running process
}

// Counters are what a slot counts, each up to the limit that it names. All of them start
// at 0 with a new task.
type Counters struct {
	// A session that moves the task ends the row, even if it fails later.
	Consecutive uint32 `json:"consecutive_errors"` // errors in a row: Policy.MaxConsecutive
	Total       uint32 `json:"total_errors"`       // errors of this task: Policy.MaxTotal
	// A program that starts, does nothing and exits with 0 would otherwise be started
	// forever.
	Fruitless uint32 `json:"fruitless,omitempty"` // successes in a row without an accepted call: FruitlessLimit
	Restarts  uint32 `json:"restarts,omitempty"`  // successes that left the work undone: RestartLimit
	Troubles  uint32 `json:"troubles,omitempty"`  // sessions in a row that ended in a lasting trouble: TroubleLimit
	// It only lengthens the wait; no number of limits stops a slot.
	Limits uint32 `json:"limits,omitempty"` // usage limits in a row without a reset time: limitSteps
}

// Snap is one snapshot of a slot.
type Snap = machine.Snap[Data]

// Policy bounds errors. The error that reaches either number stops the slot; a number
// below 1 counts as 1. Both come from [session] in ferrus.toml and are read anew for
// each event.
type Policy struct{ MaxConsecutive, MaxTotal int }

// The limits at which the human is asked, because another session would not help.
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

// Restore returns the slot of a dead conductor, in the state that it recorded for the
// session with a number. The caller has verified that the recorded state still holds:
// that the process of Spawning or Running is alive, or that the wait of CoolingDown
// or SessionComplete has not ended; parked says that the wait is for a usage limit.
// Any other state gives a slot without a session, with the next number.
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

// Living returns the number of the process that runs or is not reaped yet; 0: there is
// none. Never two: while Ending is set no other process is started.
func Living(s Snap) uint32 {
	if lives(s) {
		return s.Data.Session
	}
	return s.Data.Ending
}

// Undone reports whether a process runs whose end would leave its work unfinished.
func Undone(s Snap) bool { return slices.Contains(alive, s.At) && !over(s) }

// Waiting reports whether the slot waits for BackoffElapsed or Resumed.
func Waiting(s Snap) bool {
	return s.At == CoolingDown || s.At == SessionComplete && s.Data.Resting
}

// Stopping reports whether a process is being stopped for good, and not in order to
// give the next one a message.
func Stopping(s Snap) bool {
	return s.Data.Cause != "" && s.At != Interrupting
}

// backoffAfter returns the wait after n errors in a row: 2 s doubled, at most 60 s.
func backoffAfter(n int) time.Duration { return doubled(2*time.Second, time.Minute, n) }

// limitAfter returns the wait for the n-th usage limit in a row that names no reset
// time: 5 minutes doubled, at most an hour.
func limitAfter(n int) time.Duration { return doubled(5*time.Minute, time.Hour, n) }

// limitSteps is the number of limits in a row at which limitAfter reaches its maximum.
const limitSteps = 5

// doubled returns first for n = 1, twice as much for each further n, at most longest.
func doubled(first, longest time.Duration, n int) time.Duration {
	if n < 1 {
		return 0
	}
	return min(first<<min(n-1, 10), longest)
}

// Step takes an event that ferrus observed. The error is a *machine.Refusal, and then
// nothing has changed.
func Step(p Policy, s Snap, e machine.Event) (Snap, []machine.Effect, error) {
	return Table(p).Step(s, machine.Ferrus, e)
}
