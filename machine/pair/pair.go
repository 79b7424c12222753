// Package pair is the machine of two agents that only read a prompt and print text:
// the primary works, ferrus runs the checks, the secondary reviews, until every
// voting agent has passed the same tree, an agent gives up, or the iterations are
// used up. It needs no tools and no server.
//
// [Table] holds all of its rules. A turn ends with a [Signal], which [Grammar.Parse]
// finds in what the agent printed. DONE and PASS then wait for ferrus's own gate, and
// count only if it is green. The caller compares trees: an event says whether the
// turn edited the tree (an agent does not vote on its own edits) and whether earlier
// votes were given on another tree (they are void).
//
// [Machine] keeps a run's state and the states it has been in.
package pair

import "ferrus/machine"

// State is a state of the loop.
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

// Mode says whose vote a run needs to be complete. The gate must always be green.
type Mode string

// The modes.
const (
	Review    Mode = "review"    // the secondary's
	Consensus Mode = "consensus" // both, on one tree
	Single    Mode = "single"    // none: DONE and a green gate are enough
)

// Modes lists the modes of a pair, the default first.
var Modes = []Mode{Review, Consensus, Single}

// The agents of a pair, as roles of the machine. They have no tools, so the names of
// the task loop's roles are free for them.
const (
	Primary   = machine.Executor
	Secondary = machine.Supervisor
)

// Reason says why a run failed. It is stored in the manifest of the run.
type Reason string

// The reasons.
const (
	NotStarted    Reason = "not-started"    // an agent could not be started
	AgentError    Reason = "agent-error"    // an agent's process failed
	MaxIterations Reason = "max-iterations" // the limit is reached
	Silence       Reason = "no-signal"      // too many turns in a row ended without a signal
	GivenUp       Reason = "fail-signal"    // an agent said FAIL
	Cancelled     Reason = "cancelled"      // the human interrupted it
)

// Data is what a run remembers. Votes and a pending signal belong to one tree, whose
// hash the caller keeps; an event with Moved set drops them.
type Data struct {
	Mode      Mode   `json:"mode"`
	Iteration int    `json:"iteration"`           // a turn of the primary and its review, from 1; 0 before the start
	Silent    int    `json:"silent,omitempty"`    // turns in a row without a signal, below Policy.Silent
	Pending   Signal `json:"pending,omitempty"`   // DONE or PASS whose gate runs; empty: no gate runs
	Primary   bool   `json:"primary,omitempty"`   // has passed the tree
	Secondary bool   `json:"secondary,omitempty"` // has passed the tree
	Reason    Reason `json:"reason,omitempty"`    // while failed
	Resume    State  `json:"resume,omitempty"`    // while failed: where it continues
}

// Snap is one snapshot of a run.
type Snap = machine.Snap[Data]

// Start returns a run that was created and not started.
func Start(m Mode) Snap { return Snap{At: StateInit, Data: Data{Mode: m}} }

// Policy ends a run that does not converge. A limit of 0 is as strict as 1.
type Policy struct {
	Iterations int // --max-iterations: this many iterations at most
	Silent     int // this many turns in a row without a signal are too many
}

// SilentLimit is the Policy.Silent of every run.
const SilentLimit = 3

// The events of a run.
type (
	Started     struct{} // the agents can be started
	StartFailed struct{}
	Done        struct{ Turn }
	Pass        struct{ Turn }
	Rework      struct{ Turn }
	Fail        struct{ Turn }
	NoSignal    struct{ Turn }
	Gated       struct{ Green, Moved bool } // the verdict on the pending signal; Moved as in Turn
	Broken      struct{}                    // an agent's process failed, and its session gave up
	Cancel      struct{}
	Resume      struct{}
)

// Turn is what every end of a turn reports.
type Turn struct {
	Edited bool // the turn changed the tree: its agent may not vote on it
	Moved  bool // earlier votes were given on another tree than the present one
}

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

// Ended returns the event of a turn that ended with a signal, or without one.
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
