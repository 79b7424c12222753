package pair

import "ferrus/machine"

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

func states(s ...State) []State { return s }
func all(g ...guard) []guard    { return g }

// Table returns the machine under a policy.
//
// A signal that needs the gate stays where it was given, as Data.Pending, until the
// event gated answers it; no other turn can end in between. So a crash while the gate
// runs loses no turn. Iterations are counted where the primary starts again, and every
// row that does so has a twin at the limit, which fails the run instead.
func Table(p Policy) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "pair", States: States, Final: states(StateComplete, StateFailed),
		Rows:    rows(p),
		Late:    late,
		LateWhy: func(Snap, machine.Event) string { return "this run waits for no gate" },
	}
}

func rows(p Policy) []row {
	var (
		primary   = []machine.Role{Primary}
		secondary = []machine.Role{Secondary}
		ferrus    = []machine.Role{machine.Ferrus}
		human     = []machine.Role{machine.Human}

		fresh     = states(StateInit)
		working   = states(StateWorking)
		reviewing = states(StateReviewing)
		alive     = states(StateInit, StateWorking, StateReviewing)

		left, last       = p.iterationsLeft(), p.lastIteration()
		quiet, lastQuiet = p.silencesLeft(), p.lastSilence()
	)
	return []row{
		{From: fresh, On: KindStarted, By: ferrus, To: StateWorking, Set: firstIteration, Note: "iteration 1"},
		{From: fresh, On: KindStartFailed, By: ferrus, To: StateFailed, Set: fails(NotStarted)},

		{From: working, On: KindDone, By: primary, When: all(oneVote), If: all(idle), Set: awaitGate(SignalDone),
			Note: "the gate runs"},
		{From: working, On: KindDone, By: primary, When: all(both, edited), If: all(idle), Set: awaitGate(SignalDone),
			Note: "no vote: an agent does not vote on its own edits; the gate runs"},
		{From: working, On: KindDone, By: primary, When: all(both, unedited), If: all(idle), Set: awaitGate(SignalPass),
			Note: "counts as pass; the gate runs; a vote if it is green"},
		{From: working, On: KindPass, By: primary, When: all(both, unedited), If: all(idle), Set: awaitGate(SignalPass),
			Note: "the gate runs; a vote if it is green"},
		{From: working, On: KindPass, By: primary, When: all(both, edited), If: all(idle), Set: awaitGate(SignalDone),
			Note: "counts as done: an agent does not vote on its own edits; the gate runs"},
		{From: working, On: KindNoSignal, By: primary, When: all(paired, quiet), If: all(idle), To: StateReviewing,
			Set: countSilence},
		{From: working, On: KindNoSignal, By: primary, When: all(single, quiet, left), If: all(idle), To: StateWorking,
			Set: countSilenceOn, Note: "iteration + 1"},
		{From: working, On: KindNoSignal, By: primary, When: all(single, quiet, last), If: all(idle), To: StateFailed,
			Set: failAtLimit},
		{From: working, On: KindGated, By: ferrus, When: all(green, single), To: StateComplete, Set: clearPending},
		{From: working, On: KindGated, By: ferrus, When: all(green, doneWaits, paired), To: StateReviewing,
			Set: clearPending},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, still, otherVote), To: StateComplete,
			Set: recordVote, Note: "both passed one tree"},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, still, noOtherVote), To: StateReviewing,
			Set: recordVote, Note: "the primary's vote is kept"},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, moved), To: StateReviewing,
			Set: clearPending, Note: "the vote is void: the tree changed"},
		{From: working, On: KindGated, By: ferrus, When: all(red, left), To: StateWorking, Set: nextIteration,
			Note: "iteration + 1; the primary gets the report"},
		{From: working, On: KindGated, By: ferrus, When: all(red, last), To: StateFailed, Set: failAtLimit},

		{From: reviewing, On: KindPass, By: secondary, When: all(unedited), If: all(idle), Set: awaitGate(SignalPass),
			Note: "the gate runs, unless it was green on this tree"},
		{From: reviewing, On: KindPass, By: secondary, When: all(edited, left), If: all(idle), To: StateWorking,
			Set: nextIteration, Note: "void: an agent does not vote on its own edits; iteration + 1"},
		{From: reviewing, On: KindPass, By: secondary, When: all(edited, last), If: all(idle), To: StateFailed,
			Set: failAtLimit},
		{From: reviewing, On: KindRework, By: secondary, When: all(left), If: all(idle), To: StateWorking,
			Set: nextIteration, Note: "iteration + 1; the primary gets the notes"},
		{From: reviewing, On: KindRework, By: secondary, When: all(last), If: all(idle), To: StateFailed,
			Set: failAtLimit},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(quiet, left), If: all(idle), To: StateWorking,
			Set: countSilenceOn, Note: "iteration + 1; the primary gets the text as notes"},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(quiet, last), If: all(idle), To: StateFailed,
			Set: failAtLimit},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, enoughVotes), To: StateComplete,
			Set: recordVote},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, voteMissing, left), To: StateWorking,
			Set: recordVoteOn, Note: "the secondary's vote is kept; iteration + 1"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, voteMissing, last), To: StateFailed,
			Set: recordVoteAtLimit},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, moved, left), To: StateWorking,
			Set: nextIteration, Note: "the pass is void: the tree changed; iteration + 1"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, moved, last), To: StateFailed, Set: failAtLimit},
		{From: reviewing, On: KindGated, By: ferrus, When: all(red, left), To: StateWorking, Set: nextIteration,
			Note: "iteration + 1; the primary gets the report"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(red, last), To: StateFailed, Set: failAtLimit},

		{From: working, On: KindNoSignal, By: primary, When: all(lastQuiet), If: all(idle), To: StateFailed,
			Set: fails(Silence), Note: "the last of too many in a row"},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(lastQuiet), If: all(idle), To: StateFailed,
			Set: fails(Silence), Note: "the last of too many in a row"},
		{From: working, On: KindFail, By: primary, If: all(idle), To: StateFailed, Set: fails(GivenUp)},
		{From: reviewing, On: KindFail, By: secondary, If: all(idle), To: StateFailed, Set: fails(GivenUp)},
		{From: states(StateWorking, StateReviewing), On: KindBroken, By: ferrus, If: all(idle), To: StateFailed,
			Set: fails(AgentError)},
		{From: alive, On: KindCancel, By: human, To: StateFailed, Set: fails(Cancelled),
			Note: "`resume_state` is kept"},

		{From: states(StateFailed), On: KindResume, By: human, When: all(stopped), Back: resumeState, May: alive,
			Set: resume, Note: "the same iteration; its turn runs again"},
		{From: states(StateFailed), On: KindResume, By: human, When: all(limited), If: all(left), Back: resumeState,
			May: states(StateWorking), Set: resumeOn, Note: "with a higher limit; iteration + 1"},
	}
}

// late reports a verdict that nothing waits for.
func late(s Snap, e machine.Event) bool {
	_, gated := e.(Gated)
	return gated && s.Data.Pending == NoneYet
}

// What selects rows, and what they require.
var (
	idle = guard{Name: "no gate runs", Reason: "the gate is still running on the previous turn",
		Expected: "no running gate",
		Holds:    func(s Snap) bool { return s.Data.Pending == NoneYet }}

	single = guard{Name: "single", Holds: func(s Snap) bool { return s.Data.Mode == Single }}
	paired = guard{Name: "with a reviewer", Holds: func(s Snap) bool { return s.Data.Mode != Single }}
	both   = guard{Name: "consensus", Reason: "the primary votes only in consensus mode", Holds: func(s Snap) bool {
		return s.Data.Mode == Consensus
	}}

	oneVote = guard{Name: "not consensus", Holds: func(s Snap) bool { return s.Data.Mode != Consensus }}

	edited   = guard{Name: "turn edited", Met: func(_ Snap, e machine.Event) bool { return turnOf(e).Edited }}
	unedited = guard{Name: "nothing edited", Met: func(_ Snap, e machine.Event) bool { return !turnOf(e).Edited }}

	green = guard{Name: "green", Met: func(_ Snap, e machine.Event) bool { return e.(Gated).Green }}
	red   = guard{Name: "red", Met: func(_ Snap, e machine.Event) bool { return !e.(Gated).Green }}
	moved = guard{Name: "tree changed", Met: func(_ Snap, e machine.Event) bool { return e.(Gated).Moved }}
	still = guard{Name: "same tree", Met: func(_ Snap, e machine.Event) bool { return !e.(Gated).Moved }}

	doneWaits = guard{Name: "after done", Holds: func(s Snap) bool { return s.Data.Pending == SignalDone }}
	passWaits = guard{Name: "after pass", Holds: func(s Snap) bool { return s.Data.Pending == SignalPass }}

	otherVote   = guard{Name: "the secondary passed it", Holds: func(s Snap) bool { return s.Data.Secondary }}
	noOtherVote = guard{Name: "the secondary has not", Holds: func(s Snap) bool { return !s.Data.Secondary }}
	enoughVotes = guard{Name: "review, or the primary passed it", Holds: func(s Snap) bool {
		return s.Data.Mode == Review || s.Data.Primary
	}}
	voteMissing = guard{Name: "consensus, and the primary has not", Holds: func(s Snap) bool {
		return s.Data.Mode == Consensus && !s.Data.Primary
	}}

	stopped = guard{Name: "not at the limit", Holds: func(s Snap) bool { return s.Data.Reason != MaxIterations }}
	limited = guard{Name: "at the limit", Holds: func(s Snap) bool { return s.Data.Reason == MaxIterations }}
)

// turnOf returns what the end of a turn reports, for every event that is one.
func turnOf(e machine.Event) Turn { return e.(interface{ turn() Turn }).turn() }

// Limits are pairs of guards: one selects the row before the limit, the other the row at
// it.
func (p Policy) iterationsLeft() guard {
	return guard{Name: "iterations left", Reason: "no iterations are left",
		Expected: "a limit above the iterations made",
		Fix:      "resume it with a higher --max-iterations", Holds: func(s Snap) bool {
			return s.Data.Iteration < p.Iterations
		}}
}

func (p Policy) lastIteration() guard {
	return guard{Name: "last iteration", Holds: func(s Snap) bool { return s.Data.Iteration >= p.Iterations }}
}

func (p Policy) silencesLeft() guard {
	return guard{Name: "fewer than " + itoa(p.Silent) + " in a row", Holds: func(s Snap) bool {
		return s.Data.Silent+1 < p.Silent
	}}
}

func (p Policy) lastSilence() guard {
	return guard{Name: itoa(p.Silent) + " in a row", Holds: func(s Snap) bool { return s.Data.Silent+1 >= p.Silent }}
}
