package session

import "ferrus/machine"

// Outcome says how a process ended, by its exit alone. What it means depends on whether
// ferrus stopped the session, and whether its work is still wanted. A process that was
// killed by ferrus has the outcome of its exit like any other.
type Outcome string

// The outcomes.
const (
	Success Outcome = "Success"
	Error   Outcome = "Error"
	Timeout Outcome = "Timeout"
)

// The events of a slot. Session is the number from the effect that is answered; an
// event with an old number is refused with STALE and changes nothing.
type (
	WorktreeReady  struct{}                 // the workspace is prepared and the plan wants the slot
	PromptReady    struct{ Prompt string }  // the prompt is built
	SessionStarted struct{ Session uint32 } // established: first MCP call, or alive for min_uptime_secs
	// Taking or releasing the lease moves nothing.
	Progressed struct{ Session uint32 } // a call of the running session moved the task

	// SessionExited reports that the process is reaped, with all that it started.
	SessionExited struct {
		Session uint32
		Outcome Outcome
		// As the server saw it, not as the agent says.
		Progress bool // a call of the session was accepted
		// The plan no longer asks for the slot. Then no exit is an error.
		Unwanted bool // nothing is left to do for the slot
		// Judged from the last output. One may be chance; at TroubleLimit the slot
		// stops.
		Trouble string // what the next session would end in too, and what to do; empty: none
	}

	UrgentMessage struct{} // there is a message for the session, to be given now
	// The runner's timer sends it once.
	GraceExceeded  struct{ Session uint32 } // grace_secs after CancelSession
	BackoffElapsed struct{ Session uint32 } // the wait that Backoff asked for has ended
	// It leaves a running process to be reaped.
	OperatorStop struct{} // the human stopped the slot
	// Its message is shown to the human as it is.
	FatalError struct{ Message string } // no session can be started, and trying again would not help

	// Limited reports that the session's account has reached a usage limit. It comes
	// while the process is running, or just before its SessionExited.
	Limited struct {
		Session uint32
		// Milliseconds from now, by the caller's clock.
		Millis int64 // until the limit resets, at least 1; 0: the vendor does not say
	}

	// Five reasons to stop a session. SessionExited follows.
	Dismissed  struct{ Session uint32 } // nothing is left to do for the slot
	Superseded struct{ Session uint32 } // the slot is needed for something else
	TimedOut   struct{ Session uint32 } // alive for timeout_secs
	WentIdle   struct{ Session uint32 } // silent at its program's prompt for idle_secs
	ServerLost struct{ Session uint32 } // its MCP server was killed: it can call nothing

	// Trouble reports what keeps the program from working and only the human can fix.
	// It comes while the process is running, or just before its SessionExited.
	Trouble struct {
		Session uint32
		Message string
	}

	Resumed     struct{} // the human clears every wait and every stop
	TaskChanged struct{} // the slot is wanted for another task, and no process is running
)

func (WorktreeReady) Kind() machine.Kind  { return "WorktreeReady" }
func (PromptReady) Kind() machine.Kind    { return "PromptReady" }
func (SessionStarted) Kind() machine.Kind { return "SessionStarted" }
func (Progressed) Kind() machine.Kind     { return "Progressed" }
func (SessionExited) Kind() machine.Kind  { return "SessionExited" }
func (UrgentMessage) Kind() machine.Kind  { return "UrgentMessage" }
func (GraceExceeded) Kind() machine.Kind  { return "GraceExceeded" }
func (BackoffElapsed) Kind() machine.Kind { return "BackoffElapsed" }
func (OperatorStop) Kind() machine.Kind   { return "OperatorStop" }
func (FatalError) Kind() machine.Kind     { return "FatalError" }
func (Limited) Kind() machine.Kind        { return "Limited" }
func (Dismissed) Kind() machine.Kind      { return "Dismissed" }
func (Superseded) Kind() machine.Kind     { return "Superseded" }
func (TimedOut) Kind() machine.Kind       { return "TimedOut" }
func (WentIdle) Kind() machine.Kind       { return "WentIdle" }
func (ServerLost) Kind() machine.Kind     { return "ServerLost" }
func (Trouble) Kind() machine.Kind        { return "Trouble" }
func (Resumed) Kind() machine.Kind        { return "Resumed" }
func (TaskChanged) Kind() machine.Kind    { return "TaskChanged" }

// session returns the number of the running session that an event is about.
func (e Progressed) session() uint32 { return e.Session }
func (e Limited) session() uint32    { return e.Session }
func (e Dismissed) session() uint32  { return e.Session }
func (e Superseded) session() uint32 { return e.Session }
func (e TimedOut) session() uint32   { return e.Session }
func (e WentIdle) session() uint32   { return e.Session }
func (e ServerLost) session() uint32 { return e.Session }
func (e Trouble) session() uint32    { return e.Session }
