package merge

import (
	"fmt"

	"ferrus/machine"
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
)

// Table returns the machine for batches of at most so many items.
//
// The items of a batch stay Staged until one commit of the queue takes the row here and
// the row of each item: landed with landed, returned with returned.
func Table(batch int) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "merge", States: States, Late: late, LateWhy: lateWhy,
		Rows: []row{
			{From: states(StateIdle), On: KindOpen, By: ferrus, If: all(notHeld, size(batch), judgedAlone, lock, lane),
				To: StateProving, Set: openBatch,
				Note: "head, items and candidates are recorded; the last is proven first"},
			{From: states(StateIdle), On: KindConflict, By: ferrus, If: all(notHeld, lock, lane),
				To: StateReturning, Set: conflict, Note: "with the branch itself; markers and hunks are kept"},

			// A PASS counts for its own tree alone.
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(green, firstRun, last, besidesHead,
				approved), To: StateProven, Set: raise},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(green, firstRun, last, besidesHead,
				notApproved), To: StateReturning, Set: judgeAgain,
				Note: "passes as a different change: its reviewer gets it"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(green, firstRun, last, onHead),
				To: StateReturning, Set: raise, Note: "the first item fails"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(green, firstRun, notLast),
				To: StateProving, Set: raise, Note: "the next candidate in the middle"},

			// A FAIL counts when it repeats, alone on the same tree.
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(red, firstRun),
				To: StateProving, Set: rerun, Note: "again, alone"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(green, secondRun),
				To: StateProving, Set: waitForHuman, Note: "flaky: you are asked"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(flakyBefore), If: all(gateRuns),
				To: StateProving, Set: waitForHuman, Note: "flaky by an older gate: you are asked"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(red, secondRun, onHead),
				To: StateIdle, Set: holdFor(TargetRed), Note: "held: the branch itself fails; no item is returned"},
			{From: states(StateProving), On: KindProved, By: ferrus,
				When: all(red, secondRun, besidesHead, unknownBelow), To: StateProving, Set: lower,
				Note: "the next candidate in the middle"},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(red, secondRun, greenBelow),
				To: StateProven, Set: lower},
			{From: states(StateProving), On: KindProved, By: ferrus, When: all(red, secondRun, headBelow),
				To: StateReturning, Set: lower, Note: "the first item fails"},

			{From: states(StateProving), On: KindProved, By: ferrus, When: all(unproven), If: all(gateRuns),
				To: StateIdle, Set: holdFor(NotProven), Note: "held: the checks proved nothing"},
			{From: states(StateProving), On: KindGateLost, By: ferrus, When: all(runnerLeft), If: all(gateRuns),
				To: StateProving, Set: countLost, Note: "the same gate runs again"},
			{From: states(StateProving), On: KindGateLost, By: ferrus, When: all(noRunnerLeft), If: all(gateRuns),
				To: StateIdle, Set: holdFor(RunnerLost), Note: "held: the gate cannot run"},

			// You decide on a candidate that failed and passed.
			{From: states(StateProving), On: KindAgain, By: human, If: all(flaky), To: StateProving, Set: again},
			{From: states(StateProving), On: KindAccept, By: human, When: all(last, besidesHead, approved),
				If: all(flaky), To: StateProven, Set: raise, Note: "its PASS counts"},
			{From: states(StateProving), On: KindAccept, By: human, When: all(last, besidesHead, notApproved),
				If: all(flaky), To: StateReturning, Set: judgeAgain,
				Note: "its PASS counts; a different change: its reviewer gets it"},
			{From: states(StateProving), On: KindAccept, By: human, When: all(last, onHead), If: all(flaky),
				To: StateReturning, Set: raise, Note: "its PASS counts; the first item fails"},
			{From: states(StateProving), On: KindAccept, By: human, When: all(notLast), If: all(flaky),
				To: StateProving, Set: raise, Note: "its PASS counts; the next candidate in the middle"},

			// The largest green candidate lands before an item is returned.
			{From: states(StateProven), On: KindMove, By: ferrus, If: all(mayMove, asStaged), To: StateMoving,
				Note: "old head and new tip are recorded, then the branch moves"},
			{From: states(StateMoving), On: KindLanded, By: ferrus, When: all(allGreen), If: all(contained),
				To: StateIdle, Set: done, Note: "its items are Landed in the same commit"},
			{From: states(StateMoving), On: KindLanded, By: ferrus, When: all(oneRed), If: all(contained),
				To: StateReturning, Set: landed, Note: "its items are Landed in the same commit; the next fails"},
			{From: states(StateReturning), On: KindReturned, By: ferrus, If: all(nothingLives, taken),
				To: StateIdle, Set: done, Note: "the item is Parked in the same commit"},

			// A batch was built on a head and on items that are no longer what they were.
			{From: states(StateProving, StateProven), On: KindMoved, By: ferrus, To: StateIdle, Set: moved,
				Note: "`moved` + 1; at 3 a batch has one item"},
			{From: states(StateMoving), On: KindMoved, By: ferrus, If: all(notContained), To: StateIdle, Set: moved,
				Note: "`moved` + 1; at 3 a batch has one item"},
			{From: states(StateProving, StateProven), On: KindWithdrawn, By: ferrus, To: StateIdle, Set: dissolve},

			{From: states(StateIdle), On: KindResume, By: human, If: all(held), To: StateIdle, Set: resume},
			{From: states(StateIdle), On: KindMoved, By: ferrus, If: all(heldForTarget), To: StateIdle, Set: resume,
				Note: "the branch has a new head"},
		},
	}
}

// What rows change. Each function returns the data after the step.

func openBatch(s Snap, e machine.Event) Data {
	o, green := e.(Open), None
	if o.Proven {
		green = 0
	}
	return Data{Picks: o.Picks, Green: green, Red: o.Picks + 1, At: o.Picks, Ticket: o.Next, Moved: s.Data.Moved,
		Rejudge: o.Rejudge}
}

// conflict blames the first item without a gate.
func conflict(s Snap, _ machine.Event) Data { return Data{Picks: 1, Red: 1, Moved: s.Data.Moved} }

// raise counts candidate At as green, and proves the next one if one is unknown.
func raise(s Snap, e machine.Event) Data {
	s.Data.Green = s.Data.At
	return search(s.Data, e)
}

// lower counts candidate At as red, and proves the next one if one is unknown.
func lower(s Snap, e machine.Event) Data {
	s.Data.Red, s.Data.Rejudge = s.Data.At, false
	return search(s.Data, e)
}

// judgeAgain returns the only item, which is green.
func judgeAgain(s Snap, _ machine.Event) Data {
	return Data{Picks: 1, Red: 1, Rejudge: true, Moved: s.Data.Moved}
}

// search goes to the middle of the candidates that are unknown.
func search(d Data, e machine.Event) Data {
	d.Rerun, d.Flaky, d.Lost, d.Ticket = false, false, 0, 0
	if d.Red-d.Green > 1 {
		d.At, d.Ticket = (d.Green+d.Red)/2, nextOf(e)
	}
	return d
}

func rerun(s Snap, e machine.Event) Data {
	s.Data.Rerun, s.Data.Lost, s.Data.Ticket = true, 0, nextOf(e)
	return s.Data
}

func waitForHuman(s Snap, _ machine.Event) Data {
	s.Data.Flaky, s.Data.Rerun, s.Data.Lost, s.Data.Ticket = true, false, 0, 0
	return s.Data
}

func again(s Snap, e machine.Event) Data {
	s.Data.Flaky, s.Data.Ticket = false, nextOf(e)
	return s.Data
}

func countLost(s Snap, _ machine.Event) Data {
	s.Data.Lost++
	return s.Data
}

// holdFor returns a change that ends the batch and keeps the next one from being opened.
func holdFor(why Cause) func(Snap, machine.Event) Data {
	return func(s Snap, _ machine.Event) Data { return Data{Held: why, Moved: s.Data.Moved} }
}

// landed keeps which item is red, and resets the count of moves: the branch did not outrun the batch.
func landed(s Snap, _ machine.Event) Data {
	s.Data.Moved = 0
	return s.Data
}

func done(Snap, machine.Event) Data { return Data{} }

func dissolve(s Snap, _ machine.Event) Data { return Data{Moved: s.Data.Moved} }

func moved(s Snap, _ machine.Event) Data { return Data{Moved: min(s.Data.Moved+1, MovedLimit)} }

func resume(s Snap, _ machine.Event) Data {
	s.Data.Held = NotHeld
	return s.Data
}

// What a verdict selects.
var (
	green       = verdict(Green)
	red         = verdict(Red)
	unproven    = verdict(Unproven)
	flakyBefore = verdict(Flaky)

	gateRuns = guard{Name: "gate-running", Reason: "no gate is running", Expected: "a gate without a verdict",
		Holds: func(s Snap) bool { return s.Data.Ticket != 0 }}
	firstRun  = where("first run", func(d Data) bool { return d.Ticket != 0 && !d.Rerun })
	secondRun = where("second run", func(d Data) bool { return d.Ticket != 0 && d.Rerun })

	last    = where("nothing above is unknown", func(d Data) bool { return d.At == d.Red-1 })
	notLast = where("some above are unknown", func(d Data) bool { return d.At != d.Red-1 })

	onHead      = where("candidate 0", func(d Data) bool { return d.At == 0 })
	besidesHead = where("not candidate 0", func(d Data) bool { return d.At > 0 })

	unknownBelow = where("some below are unknown", func(d Data) bool { return d.At-d.Green > 1 })
	greenBelow   = where("the one below passes", func(d Data) bool { return d.At-d.Green == 1 && d.Green > 0 })
	headBelow    = where("candidate 0 below passes", func(d Data) bool { return d.At == 1 && d.Green == 0 })

	approved    = where("as approved", func(d Data) bool { return !d.Rejudge })
	notApproved = where("not as approved", func(d Data) bool { return d.Rejudge })

	allGreen = where("all green", func(d Data) bool { return d.Red > d.Picks })
	oneRed   = where("one fails", func(d Data) bool { return d.Red <= d.Picks })

	runnerLeft   = where("runners left", func(d Data) bool { return d.Lost+1 < LostLimit })
	noRunnerLeft = where("last runner", func(d Data) bool { return d.Lost+1 >= LostLimit })
)

// where returns a guard that selects a row by the batch.
func where(name string, holds func(Data) bool) guard {
	return guard{Name: name, Holds: func(s Snap) bool { return holds(s.Data) }}
}

func verdict(v Verdict) guard {
	return guard{Name: string(v), Met: func(_ Snap, e machine.Event) bool { return e.(Proved).Verdict == v }}
}

// What rows require.
var (
	held = guard{Name: "held", Reason: "the merge queue is not on hold", Expected: "a merge queue on hold",
		Holds: func(s Snap) bool { return s.Data.Held != NotHeld }}
	notHeld = guard{Name: "not-held", Reason: "the merge queue is on hold",
		Expected: "a merge queue that is not on hold", Fix: "resume it", Fixer: human,
		Holds: func(s Snap) bool { return s.Data.Held == NotHeld }}
	heldForTarget = guard{Name: "held-for-target", Reason: "the merge queue is not on hold for a failing branch",
		Expected: "a merge queue on hold for a failing branch",
		Holds:    func(s Snap) bool { return s.Data.Held == TargetRed }}
	flaky = guard{Name: "flaky", Reason: "no candidate is flaky", Expected: "a candidate that failed and passed",
		Holds: func(s Snap) bool { return s.Data.Flaky }}

	judgedAlone = guard{Name: "judged-alone", Reason: "an item that is reviewed again is checked alone",
		Expected: "a batch of one item",
		Met:      func(_ Snap, e machine.Event) bool { return !e.(Open).Rejudge || e.(Open).Picks == 1 }}

	lock = guard{Name: "target-locked", Expected: "the branch's lock",
		Met: func(_ Snap, e machine.Event) bool { return claimOf(e).Lock == "" },
		Why: func(_ Snap, e machine.Event) string { return claimOf(e).Lock }}
	lane = guard{Name: "gate-free", Expected: "a free gate",
		Met: func(_ Snap, e machine.Event) bool { return claimOf(e).Lane == "" },
		Why: func(_ Snap, e machine.Event) string { return claimOf(e).Lane }}
	mayMove = guard{Name: "target-free", Expected: "a branch that may be moved",
		Fix: "land it yourself", Fixer: human, Met: func(_ Snap, e machine.Event) bool { return e.(Move).Barred == "" },
		Why: func(_ Snap, e machine.Event) string { return e.(Move).Barred }}
	asStaged = guard{Name: "items-as-staged", Expected: "tasks unchanged since they were staged",
		Met: func(_ Snap, e machine.Event) bool { return e.(Move).Changed == "" },
		Why: func(_ Snap, e machine.Event) string { return e.(Move).Changed }}
	contained = guard{Name: "tip-contained", Reason: "the branch does not contain the candidate",
		Expected: "the candidate on the branch",
		Met:      func(_ Snap, e machine.Event) bool { return e.(Landed).Contained }}
	notContained = guard{Name: "tip-missing", Reason: "the branch contains the candidate: it has landed",
		Expected: "a branch without the candidate",
		Met:      func(_ Snap, e machine.Event) bool { return !e.(Moved).Contained }}
	nothingLives = guard{Name: "nothing-lives", Reason: "a session of the item is still running",
		Expected: "no session in its worktree",
		Met:      func(_ Snap, e machine.Event) bool { return !e.(Returned).Lives }}
	taken = guard{Name: "return-taken", Reason: "the item's task has not taken the work back",
		Expected: "a task that continues", Met: func(_ Snap, e machine.Event) bool { return e.(Returned).Taken }}
)

// size requires a batch of 1 to most items, and of one alone after the branch has moved
// too often.
func size(most int) guard {
	return guard{Name: "batch-size", Expected: "as many items as a batch may have",
		Met: func(s Snap, e machine.Event) bool {
			n := e.(Open).Picks
			return n == 1 || n > 1 && n <= most && s.Data.Moved < MovedLimit
		},
		Why: func(s Snap, e machine.Event) string {
			if s.Data.Moved >= MovedLimit {
				return fmt.Sprintf("a batch has one item after the branch moved %d times", MovedLimit)
			}
			return fmt.Sprintf("a batch has 1 to %d items, not %d", most, e.(Open).Picks)
		}}
}

// late reports whether an answer comes from a gate that is no longer the current one.
func late(s Snap, e machine.Event) bool {
	a, ok := e.(interface{ answers() uint64 })
	return ok && a.answers() != s.Data.Ticket
}

func lateWhy(s Snap, e machine.Event) string {
	n := e.(interface{ answers() uint64 }).answers()
	if s.Data.Ticket == 0 {
		return fmt.Sprintf("ticket %d is no longer open", n)
	}
	return fmt.Sprintf("ticket %d is no longer open; the open one is %d", n, s.Data.Ticket)
}

// These panic for an event without the fact: a row that asks for it is a fault of the table.

func claimOf(e machine.Event) Claim { return e.(interface{ claim() Claim }).claim() }
func nextOf(e machine.Event) uint64 { return e.(interface{ next() uint64 }).next() }
