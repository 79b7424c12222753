// Package session is the machine of one agent's process in one slot: made ready,
// prompted, spawned, run, interrupted, left to cool down after an error, and
// stopped when it fails too often or is told to.
package session

import (
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

// Data is what a session remembers.
type Data struct {
	Session     uint32 `json:"session_seq"`         // number of the process that lives, lived last or comes next
	Ending      uint32 `json:"ending,omitempty"`    // number of a process let go and not yet reaped; 0 none
	Consecutive uint32 `json:"consecutive_errors"`  // errors in a row
	Total       uint32 `json:"total_errors"`        // errors of this task
	Fruitless   uint32 `json:"fruitless,omitempty"` // sessions in a row that ended well without any accepted call
	Resting     bool   `json:"resting,omitempty"`   // SessionComplete waits for BackoffElapsed after a fruitless session
	Urgent      bool   `json:"urgent,omitempty"`    // a message came while spawning
}

// Snap is where a session is.
type Snap = machine.Snap[Data]

// Policy bounds errors.
type Policy struct{ MaxConsecutive, MaxTotal int }

// FruitlessLimit is how many sessions in a row may end well without any accepted
// call before the person is asked.
const FruitlessLimit = 3

// Outcome is how a process ended.
type Outcome string

// The outcomes.
const (
	Success Outcome = "Success"
	Error   Outcome = "Error"
	Timeout Outcome = "Timeout"
)

// What can happen to a session. Numbers are those of the effect that is
// answered; an old number is refused with STALE and changes nothing.
type (
	WorktreeReady  struct{}                 // the workspace is ours, nothing is ending, the plan wants the slot
	PromptReady    struct{ Prompt string }  // the prompt is built
	SessionStarted struct{ Session uint32 } // established: first MCP call, or alive for min_uptime_secs
	SessionExited  struct {                 // reaped
		Session  uint32
		Outcome  Outcome
		Progress bool // some call of it was accepted
	}
	UrgentMessage  struct{}
	GraceExceeded  struct{ Session uint32 } // grace_secs after CancelSession
	BackoffElapsed struct{ Session uint32 } // the wait that Backoff asked for
	Limited        struct {                 // out of quota, told before SessionExited
		Session uint32
		Millis  int64 // how long to wait
	}
	OperatorStop struct{}
	FatalError   struct{ Message string }
)

func (WorktreeReady) Kind() machine.Kind  { return "WorktreeReady" }
func (PromptReady) Kind() machine.Kind    { return "PromptReady" }
func (SessionStarted) Kind() machine.Kind { return "SessionStarted" }
func (SessionExited) Kind() machine.Kind  { return "SessionExited" }
func (UrgentMessage) Kind() machine.Kind  { return "UrgentMessage" }
func (GraceExceeded) Kind() machine.Kind  { return "GraceExceeded" }
func (BackoffElapsed) Kind() machine.Kind { return "BackoffElapsed" }
func (Limited) Kind() machine.Kind        { return "Limited" }
func (OperatorStop) Kind() machine.Kind   { return "OperatorStop" }
func (FatalError) Kind() machine.Kind     { return "FatalError" }

// What a session wants done, at once and in this order.
type (
	StorePrompt      struct{ Prompt string }
	Spawn            struct{ Session uint32 } // start the process with this number
	CancelSession    struct{ Session uint32 } // ask it to end; GraceExceeded after grace_secs if it is not reaped
	ForceStopSession struct{ Session uint32 } // end it and all it started
	IncrementSession struct{ Session uint32 } // the slot's number moved on to this one
	Backoff          struct {                 // answer with BackoffElapsed{Session} after Millis
		Session uint32
		Millis  int64
	}
	LogFatal   struct{ Message string } // tell the person: the slot has stopped
	NoProgress struct{ Times uint32 }   // three or more fruitless sessions in a row: hold
)

func (StorePrompt) Kind() machine.Kind      { return "StorePrompt" }
func (Spawn) Kind() machine.Kind            { return "Spawn" }
func (CancelSession) Kind() machine.Kind    { return "CancelSession" }
func (ForceStopSession) Kind() machine.Kind { return "ForceStopSession" }
func (IncrementSession) Kind() machine.Kind { return "IncrementSession" }
func (Backoff) Kind() machine.Kind          { return "Backoff" }
func (LogFatal) Kind() machine.Kind         { return "LogFatal" }
func (NoProgress) Kind() machine.Kind       { return "NoProgress" }

// New is a session that has not begun. Session is the number of its first
// process, 1 or the one after the last; total carries the errors of the task on.
func New(session, total uint32) Snap {
	return Snap{At: Initializing, Data: Data{Session: max(session, 1), Total: total}}
}

// BackoffAfter is the wait after n errors in a row: 2 s doubled, at most 60 s.
func BackoffAfter(n int) time.Duration {
	const longest = 60 * time.Second
	if n < 1 {
		return 0
	}
	if n > 5 {
		return longest
	}
	return min(2*time.Second<<(n-1), longest)
}

// Step answers an event. The error is a *machine.Refusal: STALE for a late
// event, which is to be dropped.
func Step(p Policy, s Snap, e machine.Event) (Snap, []machine.Effect, error) {
	return Table(p).Step(s, machine.Ferrus, e)
}
