// Package pair is the machine of two agents that only read a prompt and print
// text: one works, ferrus proves, the other reviews, until both are content, one
// gives up, or the iterations are used up. It needs no tools and no server.
//
// [Table] is the whole of it. A turn ends with a [Signal], which [Grammar.Parse]
// finds in what an agent printed; DONE and PASS then wait for ferrus's own gate,
// and count only where it is green. Trees are told apart by the caller: an event
// says whether the turn edited the tree and whether votes were given on another.
//
// [Machine] keeps where a loop is and where it was. Nothing here reads a clock, a
// file or a random number.
package pair

import "ferrus/machine"

// State is a place of the loop.
type State = machine.State

// The states.
const (
	StateInit      State = "init"      // run created, agents starting
	StateWorking   State = "working"   // the primary works, or the gate runs on what it did
	StateReviewing State = "reviewing" // the secondary reviews, or the gate runs on what it passed
	StateComplete  State = "complete"
	StateFailed    State = "failed"
)

// States in the order in which a run meets them.
var States = []State{StateInit, StateWorking, StateReviewing, StateComplete, StateFailed}

// Mode says who must be content.
type Mode string

// The modes.
const (
	Review    Mode = "review"    // the secondary
	Consensus Mode = "consensus" // both, on one tree
	Single    Mode = "single"    // the primary alone, with the gate
)

// Modes are all of them.
var Modes = []Mode{Review, Consensus, Single}

// The agents of a pair, as roles of the machine.
const (
	Primary   = machine.Executor
	Secondary = machine.Supervisor
)

// Reason is why a run failed.
type Reason string

// The reasons.
const (
	NotStarted    Reason = "not-started"    // an agent cannot be started
	AgentError    Reason = "agent-error"    // an agent's process failed
	MaxIterations Reason = "max-iterations" // the limit is reached
	Silence       Reason = "no-signal"      // too many turns in a row ended without a signal
	GivenUp       Reason = "fail-signal"    // an agent said FAIL
	Cancelled     Reason = "cancelled"      // the person interrupted it
)

// Data is what a run remembers. Votes and a pending signal belong to one tree,
// which the caller keeps.
type Data struct {
	Mode      Mode   `json:"mode"`
	Iteration int    `json:"iteration"`           // a turn of the primary and the review of it, from 1
	Silent    int    `json:"silent,omitempty"`    // turns in a row without a signal
	Pending   Signal `json:"pending,omitempty"`   // DONE or PASS whose gate runs
	Primary   bool   `json:"primary,omitempty"`   // has passed the tree
	Secondary bool   `json:"secondary,omitempty"` // has passed the tree
	Reason    Reason `json:"reason,omitempty"`    // while failed
	Resume    State  `json:"resume,omitempty"`    // while failed: where the run goes on
}

// Snap is where a run is.
type Snap = machine.Snap[Data]

// Start is a run that was created.
func Start(m Mode) Snap { return Snap{At: StateInit, Data: Data{Mode: m}} }

// Policy ends a run that does not converge. A limit of 0 is as strict as 1.
type Policy struct {
	Iterations int
	Silent     int // this many turns in a row without a signal are too many
}

// SilentLimit is the usual Policy.Silent.
const SilentLimit = 3

// What can happen. Edited says that the turn changed the tree: who works does not
// vote on it. Moved says that earlier votes, or the pending signal, were given on
// another tree than the present one.
type (
	Started     struct{} // the agents can be started
	StartFailed struct{}
	Done        struct{ Turn }
	Pass        struct{ Turn }
	Rework      struct{ Turn }
	Fail        struct{ Turn }
	NoSignal    struct{ Turn }
	Gated       struct{ Green, Moved bool }
	Broken      struct{} // an agent's process failed, and its session gave up
	Cancel      struct{}
	Resume      struct{}
)

// Turn is what every end of a turn says.
type Turn struct{ Edited, Moved bool }

// The kinds of the events, spelled as in the transcript of a run.
const (
	KindStarted     machine.Kind = "started"
	KindStartFailed machine.Kind = "start_failed"
	KindDone        machine.Kind = "done"
	KindPass        machine.Kind = "pass"
	KindRework      machine.Kind = "rework"
	KindFail        machine.Kind = "fail"
	KindNoSignal    machine.Kind = "no_signal"
	KindGated       machine.Kind = "gated"
	KindBroken      machine.Kind = "agent_error"
	KindCancel      machine.Kind = "cancel"
	KindResume      machine.Kind = "resume"
)

func (Started) Kind() machine.Kind     { return KindStarted }
func (StartFailed) Kind() machine.Kind { return KindStartFailed }
func (Done) Kind() machine.Kind        { return KindDone }
func (Pass) Kind() machine.Kind        { return KindPass }
func (Rework) Kind() machine.Kind      { return KindRework }
func (Fail) Kind() machine.Kind        { return KindFail }
func (NoSignal) Kind() machine.Kind    { return KindNoSignal }
func (Gated) Kind() machine.Kind       { return KindGated }
func (Broken) Kind() machine.Kind      { return KindBroken }
func (Cancel) Kind() machine.Kind      { return KindCancel }
func (Resume) Kind() machine.Kind      { return KindResume }

func (t Turn) turn() Turn { return t }

// Ended is the event of a turn that ended with a signal.
func Ended(s Signal, t Turn) machine.Event {
	switch s {
	case SignalDone:
		return Done{t}
	case SignalPass:
		return Pass{t}
	case SignalRework:
		return Rework{t}
	case SignalFail:
		return Fail{t}
	}
	return NoSignal{t}
}
