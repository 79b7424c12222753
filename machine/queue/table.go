package queue

import (
	"ferrus/machine"
	"ferrus/machine/task"
)

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

func states(s ...State) []State { return s }
func all(g ...guard) []guard    { return g }

var (
	human  = []machine.Role{machine.Human}
	ferrus = []machine.Role{machine.Ferrus}
	adders = []machine.Role{machine.Supervisor, machine.Human}
)

// Table returns the machine of an item.
//
// The store of the queue and the store of the task are written one after the other, and
// a kill can come between any two writes. So a row that needs the task to be at rest
// looks at the task, and each second write can be made again: admit, then make the
// workspace, then begin the task; let the task take the return, then returned.
func Table() *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "queue", States: States, Final: states(StateLanded, StateCancelled),
		Rows: []row{
			{From: states(StateNew), On: KindAdd, By: adders, When: all(notProposed),
				If: all(text, known, acyclic, milestoneFree), To: StateQueued,
				Note: "gets its number; many in one commit"},
			{From: states(StateNew), On: KindAdd, By: adders, When: all(proposed),
				If: all(text, known, acyclic, milestoneFree), To: StateParked, Set: holdFor(Proposed),
				Note: "a plan: resume approves it"},

			// A slot is given, and taken back once none of the item's processes is running.
			{From: states(StateQueued), On: KindAdmit, By: ferrus,
				If: all(workToDo, notHeld, dependencies, touches, slot, checkout, account, budget, memory),
				To: StateRunning, Note: "`attempt` + 1; the base is the head of the target, the first time only"},
			{From: states(StateRunning), On: KindUnadmit, By: ferrus, When: all(triesLeft),
				If: all(notBegun, nothingLives), To: StateQueued, Set: countFailure, Note: "`admissions_failed` + 1"},
			{From: states(StateRunning), On: KindUnadmit, By: ferrus, When: all(lastTry),
				If: all(notBegun, nothingLives), To: StateParked, Set: holdFor(CannotStart),
				Note: "held: it cannot start"},
			{From: states(StateRunning), On: KindRelease, By: ferrus, If: all(begun, atRest, nothingLives),
				To: StateParked, Set: admitted, Note: "the slot is free"},
			{From: states(StateQueued), On: KindRest, By: ferrus, If: all(begun, atRest),
				To: StateParked, Set: admitted},
			{From: states(StateParked), On: KindWant, By: ferrus,
				If: all(itemNotHeld, begun, workToDo, notHeld), To: StateQueued,
				Note: "ahead of items whose task has not started"},

			// The human holds an item as long as there is no task to hold.
			{From: states(StateQueued), On: KindHold, By: human, If: all(notBegun),
				To: StateParked, Set: holdFor(ByHuman)},
			{From: states(StateParked), On: KindResume, By: human, If: all(itemHeld),
				To: StateQueued, Set: resume, Note: "`admissions_failed` 0"},

			// The approved work lands. The merge reports the outcome.
			{From: states(StateParked), On: KindStage, By: human,
				If: all(itemNotHeld, complete, nothingLives, asApproved, targetExists, ownWorktree), To: StateStaged,
				Note: "submission, tree and commit are recorded"},
			{From: states(StateParked), On: KindStage, By: ferrus,
				If: all(auto, itemNotHeld, complete, nothingLives, asApproved, targetExists, ownWorktree),
				To: StateStaged, Note: "submission, tree and commit are recorded"},
			{From: states(StateStaged), On: KindUnstage, By: human, If: all(notMerging), To: StateParked},
			{From: states(StateStaged), On: KindUnstage, By: ferrus, If: all(movedOn, notMerging), To: StateParked},
			{From: states(StateStaged), On: KindLanded, By: ferrus, If: all(contained, mergedThere), To: StateLanded,
				Note: "the commit is recorded"},
			{From: states(StateStaged), On: KindReturned, By: ferrus, If: all(movedOn), To: StateParked},
			{From: states(StateParked), On: KindLandHere, By: human,
				If: all(itemNotHeld, inCheckout, complete), To: StateLanded, Note: "the commit is recorded"},

			// An item ends without landing.
			{From: states(StateQueued, StateRunning, StateParked, StateStaged), On: KindCancel, By: human,
				If: all(notMerging), To: StateCancelled, Set: end, Note: "then the task is reset"},
			{From: states(StateQueued, StateRunning, StateParked), On: KindGone, By: ferrus,
				If: all(wasReset, nothingLives), To: StateCancelled, Set: end},

			{From: states(StateQueued, StateParked, StateStaged), On: KindMove, By: human,
				Note: "another place in the order"},
			{From: states(StateQueued, StateParked, StateStaged), On: KindEdit, By: human,
				If: all(known, acyclic), Note: "other dependencies, or other files that it touches"},
		},
	}
}

// What rows change. Each function returns the data after the step.

// countFailure counts an admission after which no task had begun.
func countFailure(s Snap, _ machine.Event) Data {
	s.Data.Failures++
	return s.Data
}

// admitted forgets failed admissions, for the task has started.
func admitted(s Snap, _ machine.Event) Data {
	s.Data.Failures = 0
	return s.Data
}

// holdFor returns a change that holds the item. Failed admissions are counted from 0
// again when it is resumed.
func holdFor(why Cause) func(Snap, machine.Event) Data {
	return func(s Snap, _ machine.Event) Data {
		s.Data.Held, s.Data.Failures = why, 0
		return s.Data
	}
}

func resume(s Snap, _ machine.Event) Data {
	s.Data.Held = NotHeld
	return s.Data
}

// end drops everything except where the task worked.
func end(s Snap, _ machine.Event) Data { return Data{Here: s.Data.Here} }

// What rows require of the task.
var (
	begun = guard{Name: "begun", Reason: "the task has not started", Expected: "a task that has started",
		Met: func(_ Snap, e machine.Event) bool { return taskOf(e).Begun() }}
	notBegun = guard{Name: "not-begun", Reason: "the task has started", Expected: "a task that has not started",
		Fix: "hold or resume the task itself", Fixer: human,
		Met: func(_ Snap, e machine.Event) bool { return !taskOf(e).Begun() }}

	// A slot for a task without work would keep another one waiting.
	workToDo = guard{Name: "work-to-do", Expected: "a task that is open",
		Met: func(_ Snap, e machine.Event) bool { return !taskOf(e).Begun() || taskOf(e).Open() },
		Why: func(_ Snap, e machine.Event) string { return "the task is " + string(taskOf(e).At) }}
	notHeld = guard{Name: "not-held", Expected: "a task that is neither on hold nor waiting for you",
		Met: func(_ Snap, e machine.Event) bool { return !taskOf(e).Held && !taskOf(e).Deferred },
		Why: func(_ Snap, e machine.Event) string {
			if taskOf(e).Held {
				return "the task is on hold"
			}
			return "the task waits for your answer"
		}}
	atRest = guard{Name: "at-rest", Reason: "the task is still in progress",
		Expected: "a task that is over, on hold or waiting for you",
		Met:      func(_ Snap, e machine.Event) bool { return !taskOf(e).Wants() }}
	nothingLives = guard{Name: "nothing-lives", Reason: "a session or gate of the task is still running",
		Expected: "no session, setup or gate of the task", Fix: "try again in a moment",
		Met: func(_ Snap, e machine.Event) bool { return !taskOf(e).Lives }}
	complete = guard{Name: "task-complete", Expected: "a task that is Complete", Fix: "approve the task",
		Fixer: human, Met: func(_ Snap, e machine.Event) bool { return taskOf(e).At == task.Complete },
		Why: func(_ Snap, e machine.Event) string {
			if !taskOf(e).Begun() {
				return "the task has not started"
			}
			return "the task is " + string(taskOf(e).At)
		}}
	movedOn = guard{Name: "task-moved-on", Reason: "the staged submission is still the task's",
		Expected: "a task that continues", Met: func(_ Snap, e machine.Event) bool { return taskOf(e).Moved }}
	wasReset = guard{Name: "reset", Reason: "the task was not reset", Expected: "a task that was reset",
		Met: func(_ Snap, e machine.Event) bool { return taskOf(e).At == task.Idle }}
)

// What rows require of the item itself.
var (
	itemHeld = guard{Name: "item-held", Reason: "the item is not on hold", Expected: "an item on hold",
		Holds: func(s Snap) bool { return s.Data.Held != NotHeld }}
	itemNotHeld = guard{Name: "item-not-held", Reason: "the item is on hold", Expected: "an item that is not on hold",
		Fix: "resume it", Fixer: human, Holds: func(s Snap) bool { return s.Data.Held == NotHeld }}
	triesLeft = guard{Name: "tries left", Holds: func(s Snap) bool { return s.Data.Failures+1 < AdmissionLimit }}
	lastTry   = guard{Name: "last try", Holds: func(s Snap) bool { return s.Data.Failures+1 >= AdmissionLimit }}

	ownWorktree = guard{Name: "own-worktree", Reason: "the task works in your checkout",
		Expected: "a task in its own worktree", Fix: "land it from your checkout",
		Holds: func(s Snap) bool { return !s.Data.Here }}
	inCheckout = guard{Name: "here-task", Reason: "the task works in its own worktree",
		Expected: "a task in your checkout", Fix: "stage it", Holds: func(s Snap) bool { return s.Data.Here }}
)

// What rows require of git, of the merge and of the other items.
var (
	text = guard{Name: "text-required", Reason: "the text is empty", Expected: "a text that is not blank",
		Fix: "add the task with a text", Met: func(_ Snap, e machine.Event) bool { return e.(Add).Text }}
	proposed      = guard{Name: "proposed", Met: func(_ Snap, e machine.Event) bool { return e.(Add).Proposed }}
	notProposed   = guard{Name: "not proposed", Met: func(_ Snap, e machine.Event) bool { return !e.(Add).Proposed }}
	milestoneFree = noneOf("milestone-not-queued", "a milestone that no other item has",
		func(e machine.Event) string { return e.(Add).Milestone })
	known = noneOf("dependencies-known", "dependencies that are in the queue",
		func(e machine.Event) string { return orderOf(e).Unknown })
	acyclic = noneOf("acyclic", "dependencies without a cycle",
		func(e machine.Event) string { return orderOf(e).Circle })

	dependencies = noneOf("dependencies-landed", "dependencies that have landed",
		func(e machine.Event) string { return e.(Admit).Dependencies })
	touches = noneOf("touches-free", "files that no running item touches",
		func(e machine.Event) string { return e.(Admit).Touches })
	slot     = noneOf("slot-free", "a free slot", func(e machine.Event) string { return e.(Admit).Slot })
	checkout = noneOf("here-free", "your checkout without a task in it",
		func(e machine.Event) string { return e.(Admit).Checkout })
	account = noneOf("account-free", "an account below its usage limit",
		func(e machine.Event) string { return e.(Admit).Account })
	budget = noneOf("budget-left", "a queue within its budget",
		func(e machine.Event) string { return e.(Admit).Budget })
	memory = noneOf("memory-free", "enough free memory", func(e machine.Event) string { return e.(Admit).Memory })

	auto = guard{Name: "auto", Reason: "only you stage work for this branch", Expected: "[merge] auto = true",
		Fix: "stage it", Fixer: human, Met: func(_ Snap, e machine.Event) bool { return e.(Stage).Auto }}
	asApproved = noneOf("tree-as-approved", "the tree that was approved",
		func(e machine.Event) string { return e.(Stage).Tree })
	targetExists = noneOf("target-exists", "a branch to land on",
		func(e machine.Event) string { return e.(Stage).Target })
	contained = guard{Name: "tip-contained", Reason: "the branch does not contain its commit",
		Expected: "the commit on the branch", Met: func(_ Snap, e machine.Event) bool { return e.(Landed).Contained }}
	mergedThere = guard{Name: "merged-on-forge", Reason: "the forge does not report the pull request as merged",
		Expected: "a merged pull request, if it lands by one", Met: func(_ Snap, e machine.Event) bool {
			l := e.(Landed)
			return !l.ByPull || l.Merged
		}}
	notMerging = guard{Name: "merge-idle-or-proving", Reason: "the merge queue is landing or returning it",
		Expected: "a merge queue that has not decided on it", Fix: "try again in a moment",
		Met: func(_ Snap, e machine.Event) bool { return !e.(interface{ merging() bool }).merging() }}
)

// noneOf returns a guard that holds if the caller found nothing in the way; otherwise
// what it found is the reason.
func noneOf(name, expected string, found func(machine.Event) string) guard {
	return guard{Name: name, Expected: expected,
		Met: func(_ Snap, e machine.Event) bool { return found(e) == "" },
		Why: func(_ Snap, e machine.Event) string { return found(e) }}
}

// These panic for an event without the fact: a row that asks for it is a fault of the table.

func taskOf(e machine.Event) Task   { return e.(interface{ task() Task }).task() }
func orderOf(e machine.Event) Order { return e.(interface{ order() Order }).order() }
