// Package merge is the machine of a merge queue: it merges a batch of approved items
// into one branch, which only moves to a tree that has its own PASS.
//
// A batch is a sequence of candidates. Candidate 0 is the head of the branch, and
// candidate i adds the i-th item to candidate i-1. The last one is checked first. If it
// is green, the branch moves to it. If it is red, a binary search over the candidates, 0
// included, finds a green one whose successor is red: the branch moves to the green one,
// and the item that made the next one red is returned. If candidate 0 is red, the branch
// itself is red and no item is returned.
//
// The machine knows numbers, not items: its caller keeps which items are in the batch,
// their commits and the head that they were built on.
package merge

import "ferrus/machine"

// State is a state of the merge, stored under its name.
type State = machine.State

// The states.
const (
	StateIdle    State = "Idle"
	StateProving State = "Proving" // the gate of a candidate runs, or a flaky one waits for you
	StateProven  State = "Proven"  // the branch can move to Data.Green
	// The intent to move is stored before the branch is touched, so that a start that
	// finds this state asks git what became of it.
	StateMoving    State = "Moving"
	StateReturning State = "Returning" // item Data.Red goes back to its executor, or to its reviewer
)

// States in the order in which a batch meets them.
var States = []State{StateIdle, StateProving, StateProven, StateMoving, StateReturning}

// None is the Green of a batch in which no candidate is green yet.
const None = -1

// Data is the batch that is open, and what keeps the next one from starting.
type Data struct {
	Picks int // the candidates besides 0; 0: there is no batch
	// Below Red, and every candidate between the two is unknown.
	Green int // the last candidate that was green, or None
	Red   int // the first candidate that was red, or Picks+1
	At    int // the candidate whose gate runs
	// An answer to another number is late.
	Ticket uint64 // of the gate that runs; 0: none
	Rerun  bool   // candidate At failed once, and its gate runs again, alone
	Flaky  bool   // it failed and passed on one tree: you decide
	Lost   int    // runners of its gate that died in a row, below LostLimit
	// Not after its candidate was red: then it is returned as any other.
	Rejudge bool // the approval of the only item does not hold on the branch: it goes back to its reviewer
	Moved   int  // how often in a row the branch moved during a batch, at most MovedLimit
	// Only while Idle.
	Held Cause
}

// Cause says why no batch is opened.
type Cause string

// The causes of a hold.
const (
	NotHeld    Cause = ""
	TargetRed  Cause = "target-red" // the checks fail on the head of the branch itself
	NotProven  Cause = "unproven"   // the checks proved nothing
	RunnerLost Cause = "gate-lost"  // LostLimit runners of a gate died
)

// LostLimit runners of one gate that die hold the merge. After MovedLimit batches in a
// row that were outrun by the branch, a batch has one item.
const (
	LostLimit  = 3
	MovedLimit = 3
)

// Snap is one snapshot of a merge.
type Snap = machine.Snap[Data]

// Start is the snapshot of a branch to which nothing has been merged yet.
var Start = Snap{At: StateIdle}

// Verdict is what the gate found on a candidate. TIMEOUT is Red.
type Verdict string

// The verdicts.
const (
	Green    Verdict = "green"
	Red      Verdict = "red"
	Unproven Verdict = "unproven"
	Flaky    Verdict = "flaky" // it passed or failed where it had done the other before
)

// The events of a merge. Next is the ticket of the gate that the event may start.
type (
	// Open starts a batch. Its candidates are built, which writes nothing but objects.
	Open struct {
		Picks  int
		Next   uint64
		Proven bool // candidate 0 is known to be green: it is a tree that passed before
		// Of one item alone.
		Rejudge bool // on the branch it is another change than the approved one
		Claim
	}
	// Conflict reports that the first item cannot be combined with the branch itself. One
	// that conflicts only with items before it is left out of the batch instead.
	Conflict struct{ Claim }

	Proved struct {
		Ticket  uint64
		Verdict Verdict
		Next    uint64
	}
	GateLost struct{ Ticket uint64 } // its runner died; the same gate runs again

	Again  struct{ Next uint64 } // the human: check the flaky candidate again
	Accept struct{ Next uint64 } // the human: its PASS counts

	// Move decides to move the branch to candidate Green.
	Move struct {
		Barred  string // "main is checked out with changes"
		Changed string // "#12 is no longer what was staged": it has to be withdrawn first
	}
	Landed struct{ Contained bool } // the branch contains candidate Green, as git says
	Moved  struct{ Contained bool } // its head is not the commit that the batch was built on
	// Withdrawn reports that an item of the batch is no longer staged.
	Withdrawn struct{}
	Returned  struct {
		Lives bool // a session of the item is running, so its worktree must not be changed
		Taken bool // its task took the return, or has moved on by itself
	}
	Resume struct{} // ends a hold
)

// Claim is what a batch must have to itself, in the words that are shown where it waits;
// empty, it has it.
type Claim struct {
	Lock string // "another project merges to main"
	Lane string // "a gate of #14 runs"
}

// The kinds of the events, spelled as in the journal.
const (
	KindOpen      machine.Kind = "open"
	KindConflict  machine.Kind = "conflict"
	KindProved    machine.Kind = "proved"
	KindGateLost  machine.Kind = "gate_lost"
	KindAgain     machine.Kind = "again"
	KindAccept    machine.Kind = "accept"
	KindMove      machine.Kind = "move"
	KindLanded    machine.Kind = "landed"
	KindMoved     machine.Kind = "moved"
	KindWithdrawn machine.Kind = "withdrawn"
	KindReturned  machine.Kind = "returned"
	KindResume    machine.Kind = "resume"
)

func (Open) Kind() machine.Kind      { return KindOpen }
func (Conflict) Kind() machine.Kind  { return KindConflict }
func (Proved) Kind() machine.Kind    { return KindProved }
func (GateLost) Kind() machine.Kind  { return KindGateLost }
func (Again) Kind() machine.Kind     { return KindAgain }
func (Accept) Kind() machine.Kind    { return KindAccept }
func (Move) Kind() machine.Kind      { return KindMove }
func (Landed) Kind() machine.Kind    { return KindLanded }
func (Moved) Kind() machine.Kind     { return KindMoved }
func (Withdrawn) Kind() machine.Kind { return KindWithdrawn }
func (Returned) Kind() machine.Kind  { return KindReturned }
func (Resume) Kind() machine.Kind    { return KindResume }

// Guards reach a field of several events through these methods.

func (c Claim) claim() Claim       { return c }
func (e Proved) answers() uint64   { return e.Ticket }
func (e GateLost) answers() uint64 { return e.Ticket }
func (e Open) next() uint64        { return e.Next }
func (e Proved) next() uint64      { return e.Next }
func (e Again) next() uint64       { return e.Next }
func (e Accept) next() uint64      { return e.Next }
