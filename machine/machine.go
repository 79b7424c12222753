// Package machine steps finite state machines that are written as tables.
//
// A machine is a value, not an object. Write its rules as a [Table], keep its
// [Snap] wherever you like, and call [Table.Step] with the snapshot, an event and
// the role that caused it. Step returns the next snapshot and the effects to carry
// out, or a [*Refusal] that says why nothing changed and what would be accepted.
//
// The order for a caller is always the same: step, store the new snapshot durably,
// carry out the effects. A crash between two steps then loses at most one step, and
// a crash between storing and carrying out is repaired by computing the effects
// again from the snapshot.
//
// Nothing in this package or below it reads a clock, a file or a random number,
// starts a goroutine or takes a lock. What a rule needs to know comes with the
// event. So the same snapshot and the same event always give the same result, and
// package machinetest can visit every snapshot that a machine can reach.
//
// The same table is the documentation: [Table.Markdown] and [Table.Mermaid] render
// it, [Table.Options] lists the transitions that are possible now, and
// [Table.Closed] says why the others are not.
package machine

import "errors"

// State names a state of a machine, spelled as users read it: "AwaitingHuman". It is
// stored and shown, so a state that was released keeps its name. The zero State is
// none: no row leads there, and a table's first state is its initial one.
type State string

// Kind names a type of event or effect. The kind of an event is also the word of the
// journal and, where agents may cause it, the name of their tool. Two events of one
// kind differ by their facts alone, which is what Row.When is for.
type Kind string

// Role says who may cause an event. The empty role is a caller of whom nothing is
// known; no row accepts it. Step believes the role it is given; that a caller has it is
// proved above this package.
type Role string

// The roles of every machine.
const (
	// It never edits files of the project, except in phases that say so.
	Supervisor Role = "supervisor" // an agent that plans, advises and reviews
	Executor   Role = "executor"   // an agent that does the work
	Human      Role = "human"      // you, in HQ or on the command line
	// Its events report what it has observed or done.
	Ferrus Role = "ferrus" // the program itself: gates, timers, recovery
)

// Code says in one word why an event was refused. Callers branch on it; its values
// are part of the protocol of the tools and never change.
type Code string

// The codes of a refusal.
const (
	// Another event has to come first; see Refusal.Options.
	NoSuchTransition Code = "NO_SUCH_TRANSITION" // no row for the event in this state
	// No change of the state would help this caller, or another role acts here.
	NotYourRole Code = "NOT_YOUR_ROLE" // a row, but for another role
	// The call is right, and may be repeated once the guards hold.
	GuardFailed Code = "GUARD_FAILED" // the row requires what does not hold
	// Repeating it is refused as well: drop it, or ask what is open now.
	Stale Code = "STALE" // the event answers what is no longer open
	Final Code = "FINAL" // the machine has ended; see Table.Final
	// Waiting does not close it again.
	CircuitOpen Code = "CIRCUIT_OPEN" // a limit of repetitions: only the human may reset it
)

// Refusal says why nothing changed, and what would be accepted instead. It is an
// error whose text is one sentence for a human or an agent; the fields are the same
// for a program. A refusal is a normal answer, not a failure: it is never logged as
// an error, and repeating the call unchanged is refused again.
type Refusal struct {
	Code    Code   `json:"code"`
	Machine string `json:"machine"` // Table.Name
	State   State  `json:"state"`   // where the machine is, and stays
	Event   Kind   `json:"event"`
	By      Role   `json:"by,omitempty"` // the caller
	// Empty where the role or the state alone decided.
	Failed []Failed `json:"failed,omitempty"` // each guard once, in the order of the table
	// As of the snapshot that refused; the facts of an event may still close one.
	Options []Option `json:"options,omitempty"` // the moves that are open, to all roles
}

// AsRefusal returns the refusal in an error, and nil where there is none: the error
// is then a failure, and only loading the state again tells what it changed.
func AsRefusal(err error) *Refusal {
	var r *Refusal
	errors.As(err, &r)
	return r
}

// IsRefusal reports whether an error is a refusal, which has changed nothing.
func IsRefusal(err error) bool { return AsRefusal(err) != nil }

// FailsOnly reports whether one guard, and no other, did not hold. It is false for a
// nil refusal.
func (r *Refusal) FailsOnly(guard string) bool {
	return r != nil && len(r.Failed) == 1 && r.Failed[0].Guard == guard
}

// Failed describes one guard that did not hold.
type Failed struct {
	Guard    string `json:"guard"`              // Guard.Name
	Reason   string `json:"reason"`             // what is not so
	Expected string `json:"expected,omitempty"` // the shape that would satisfy it
	Fix      string `json:"fix,omitempty"`      // what the caller can do, or who must act; see HonestFix

	// It is JSON that the caller may send after filling in its placeholders.
	Shape     any         `json:"expectedShape,omitempty"` // Expected as data, where a guard knows it
	Suggested *Suggestion `json:"suggestedFix,omitempty"`  // a call the caller can make; nil: there is none
}

// Suggestion is a tool call that would make a guard hold. Params decode against the
// schema of the tool; texts in angle brackets are placeholders for the caller to
// replace.
type Suggestion struct {
	Tool   string         `json:"tool"`
	Params map[string]any `json:"params"`
}

// Option is a move that is open now, and the roles it is open to. It promises nothing
// about the facts of the event: see [Table.Options].
type Option struct {
	Event Kind   `json:"event"`
	By    []Role `json:"by"`
}
