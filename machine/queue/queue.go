// Package queue is the machine of one item of the queue: one task of a project, from
// when it is added until it has landed or was cancelled. Each item is its own
// machine.
//
// An item and its task are kept in different stores, and neither stores the other's
// state. What a row needs to know about the task, git or the other items comes with
// the event; the caller reads it under the queue's lock. So "approved", "failed" and
// "asks you" are not states here: they are states of the task.
//
// [Table] holds all of its rules. A slot is the permission to have running sessions;
// the limits of slots, accounts and memory are facts of [Admit].
package queue

import (
	"slices"

	"ferrus/machine"
	"ferrus/machine/task"
)

// State is a state of an item, stored under its name.
type State = machine.State

// The states of an item.
const (
	// It is never stored: an item exists from its first step on.
	StateNew       State = "New"
	StateQueued    State = "Queued"  // it wants a slot
	StateRunning   State = "Running" // it has a slot; sessions live in this state only
	StateParked    State = "Parked"  // it has none and wants none: its hold or its task says why
	StateStaged    State = "Staged"  // its approved tree waits to be merged
	StateLanded    State = "Landed"  // the target branch contains it; final
	StateCancelled State = "Cancelled"
)

// States in the order in which an item meets them.
var States = []State{StateNew, StateQueued, StateRunning, StateParked, StateStaged, StateLanded, StateCancelled}

// Data is what an item remembers besides its state. Whether its task has begun is the
// task's to say: a flag for it could differ from the task after a crash.
type Data struct {
	// It never changes.
	Here bool // the task works in your checkout, not in a worktree of its own
	// Only while Parked.
	Held Cause
	// Below AdmissionLimit.
	Failures int // admissions in a row after which no task had begun
}

// Cause says why an item is held. A task that has begun is held by its own hold instead.
type Cause string

// The causes of a hold.
const (
	NotHeld     Cause = ""
	ByHuman     Cause = "human"
	CannotStart Cause = "cannot-start" // AdmissionLimit admissions failed
	Proposed    Cause = "proposed"     // a supervisor planned it, and you have not approved it
)

// AdmissionLimit is the number of failed admissions in a row at which an item is held:
// what keeps its workspace from being made then needs the human.
const AdmissionLimit = 3

// Snap is one snapshot of an item.
type Snap = machine.Snap[Data]

// Task is what the task of an item says of itself. The zero Task has not started: nothing
// was committed to its store yet.
type Task struct {
	// One of task.States; Idle is a task that was reset.
	At       machine.State
	Held     bool // the task's own hold
	Deferred bool // it has asked the human, and waits for longer than [hq] defer_after
	Lives    bool // a session, a setup or a gate of it is running
	// Only for an item that is Staged.
	Moved bool // the submission that was staged is no longer the task's
}

// Begun reports whether the task exists.
func (t Task) Begun() bool { return t.At != "" }

// Open reports whether the task has started and is not over.
func (t Task) Open() bool {
	return t.Begun() && !slices.Contains([]machine.State{task.Idle, task.Complete, task.Failed}, t.At)
}

// Wants reports whether the task continues as soon as it has a slot.
func (t Task) Wants() bool { return t.Open() && !t.Held && !t.Deferred }

// Order is where an item stands among the others. Each text names what is wrong.
type Order struct {
	Unknown string // "there is no #99"
	Circle  string // "#12 waits for #14, which waits for #12"
}

// Waits is why an item has to wait, in the words that stand beside it in the list.
type Waits struct {
	Dependencies string // "waits for #12"
	Touches      string // "touches the same files as #14"
	Slot         string // "2 of 2 codex sessions"
	Checkout     string // "#3 works in your checkout"
	Account      string // "claude-code has hit its usage limit until 14:00"
	Budget       string // "the queue has used 1.20M tokens"
	Memory       string // "less than 1 GB of memory free"
}

// The events of an item. A string in one says why a condition does not hold; empty, the
// condition holds.
type (
	// Add adds an item. Many can be added in one commit.
	Add struct {
		Text     bool // the request is not blank
		Proposed bool // you have to approve it before it is queued
		Order
		Milestone string // "#12 is for this milestone already"
	}

	// Admit gives a slot. Its caller counts the attempts, and records the head of the
	// target as the base at the first one.
	Admit struct {
		Task
		Waits
	}

	Unadmit struct{ Task } // its workspace could not be made, or its task not be begun
	Release struct{ Task } // its slot is free for another item
	Rest    struct{ Task } // a queued item has nothing to do any more
	Want    struct{ Task } // a parked item has something to do again

	Hold   struct{ Task } // until the task has started; from then on the task itself is held
	Resume struct{}       // ends a hold of the item

	// Stage gives the approved tree to the merge. Its caller records the submission, the
	// tree and a commit of it.
	Stage struct {
		Task
		Auto   bool   // [merge] auto, or the target is a branch of ferrus's own
		Tree   string // "retry.go changed after the approval"
		Target string // "there is no branch main"
	}
	Unstage struct { // the human wants it back, or the task has moved on
		Task
		Merging bool // the merge moves the target by it, or returns it
	}
	Landed struct {
		Contained bool // the target contains the commit, as git says; of a pull request, the fetched one
		ByPull    bool // it lands by a pull request
		Merged    bool // which the forge reports as merged
	}
	Returned struct{ Task } // the task continues, with what kept it from landing
	LandHere struct{ Task } // the work of a task in your checkout is committed

	Cancel struct {
		Merging bool // as for Unstage
	}
	Gone struct{ Task } // the task was reset

	Move struct{}        // to another place in the order
	Edit struct{ Order } // other dependencies, or other files that it touches
)

// The kinds of the events, spelled as in the journal.
const (
	KindAdd      machine.Kind = "add"
	KindAdmit    machine.Kind = "admit"
	KindUnadmit  machine.Kind = "unadmit"
	KindRelease  machine.Kind = "release"
	KindRest     machine.Kind = "rest"
	KindWant     machine.Kind = "want"
	KindHold     machine.Kind = "hold"
	KindResume   machine.Kind = "resume"
	KindStage    machine.Kind = "stage"
	KindUnstage  machine.Kind = "unstage"
	KindLanded   machine.Kind = "landed"
	KindReturned machine.Kind = "returned"
	KindLandHere machine.Kind = "land_here"
	KindCancel   machine.Kind = "cancel"
	KindGone     machine.Kind = "gone"
	KindMove     machine.Kind = "move"
	KindEdit     machine.Kind = "edit"
)

func (Add) Kind() machine.Kind      { return KindAdd }
func (Admit) Kind() machine.Kind    { return KindAdmit }
func (Unadmit) Kind() machine.Kind  { return KindUnadmit }
func (Release) Kind() machine.Kind  { return KindRelease }
func (Rest) Kind() machine.Kind     { return KindRest }
func (Want) Kind() machine.Kind     { return KindWant }
func (Hold) Kind() machine.Kind     { return KindHold }
func (Resume) Kind() machine.Kind   { return KindResume }
func (Stage) Kind() machine.Kind    { return KindStage }
func (Unstage) Kind() machine.Kind  { return KindUnstage }
func (Landed) Kind() machine.Kind   { return KindLanded }
func (Returned) Kind() machine.Kind { return KindReturned }
func (LandHere) Kind() machine.Kind { return KindLandHere }
func (Cancel) Kind() machine.Kind   { return KindCancel }
func (Gone) Kind() machine.Kind     { return KindGone }
func (Move) Kind() machine.Kind     { return KindMove }
func (Edit) Kind() machine.Kind     { return KindEdit }

// Guards reach a field of several events through these methods.

func (t Task) task() Task       { return t }
func (o Order) order() Order    { return o }
func (e Unstage) merging() bool { return e.Merging }
func (e Cancel) merging() bool  { return e.Merging }
