// Package machine steps finite state machines that are written as tables.
//
// A machine is a value, not an object: [Table.Step] takes where the machine is
// and what happened, and returns where it is now and what should be done about
// it. Nothing in this package or below it reads a clock, a file or a random
// number, starts a goroutine or takes a lock. The same snapshot and the same
// event always give the same answer, so every reachable snapshot can be visited
// in a test ([Explore]) and a crash between two steps loses nothing but the step.
package machine

import "errors"

// State names a place a machine can be in, spelled as people read it.
type State string

// Kind names what sort of event or effect a value is.
type Kind string

// Role is who may cause an event.
type Role string

// The roles. Ferrus is the program itself.
const (
	Supervisor Role = "supervisor"
	Executor   Role = "executor"
	Human      Role = "human"
	Ferrus     Role = "ferrus"
)

// Code says in one word why an event was refused.
type Code string

// The codes of a refusal.
const (
	NoSuchTransition Code = "NO_SUCH_TRANSITION"
	NotYourRole      Code = "NOT_YOUR_ROLE"
	GuardFailed      Code = "GUARD_FAILED"
	Stale            Code = "STALE"
	Final            Code = "FINAL"
	CircuitOpen      Code = "CIRCUIT_OPEN"
)

// Refusal is why nothing changed, and what would be accepted instead. It is an
// error; its text is one sentence for a person or an agent.
type Refusal struct {
	Code    Code     `json:"code"`
	Machine string   `json:"machine"`
	State   State    `json:"state"`
	Event   Kind     `json:"event"`
	By      Role     `json:"by,omitempty"` // who asked
	Failed  []Failed `json:"failed,omitempty"`
	Options []Option `json:"options,omitempty"`
}

// AsRefusal returns the refusal in an error, and nil where there is none: the error
// is then a failure, of which nobody knows what it changed.
func AsRefusal(err error) *Refusal {
	var r *Refusal
	errors.As(err, &r)
	return r
}

// IsRefusal reports whether an error is a refusal, which has changed nothing.
func IsRefusal(err error) bool { return AsRefusal(err) != nil }

// FailsOnly reports whether one guard, and no other, did not hold. Nil fails nothing.
func (r *Refusal) FailsOnly(guard string) bool {
	return r != nil && len(r.Failed) == 1 && r.Failed[0].Guard == guard
}

// Failed is a guard that did not hold.
type Failed struct {
	Guard    string `json:"guard"`
	Reason   string `json:"reason"`             // what is not so
	Expected string `json:"expected,omitempty"` // the shape that would satisfy it
	Fix      string `json:"fix,omitempty"`      // what the caller may do about it, or who must act

	Shape     any         `json:"expectedShape,omitempty"` // Expected as data, where a guard knows it
	Suggested *Suggestion `json:"suggestedFix,omitempty"`  // a call that the caller may make
}

// Suggestion is a call of a tool that would make a guard hold. Params decode
// against the schema of the tool; texts in angle brackets are for the caller to
// write.
type Suggestion struct {
	Tool   string         `json:"tool"`
	Params map[string]any `json:"params"`
}

// Option is a move that is open now, and to whom.
type Option struct {
	Event Kind   `json:"event"`
	By    []Role `json:"by"`
}
