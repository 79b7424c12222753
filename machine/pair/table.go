package pair

import "ferrus/machine"

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

func at(s ...State) []State  { return s }
func all(g ...guard) []guard { return g }

// Table is the machine under a policy.
//
// A signal that needs the gate stays where it was given, as Data.Pending, until
// gated answers it. So a crash in a gate loses no turn.
func Table(p Policy) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "pair", States: States, Final: at(StateComplete, StateFailed),
		Rows:    rows(p),
		Late:    late,
		LateWhy: func(Snap, machine.Event) string { return "no gate runs for this run" },
	}
}

func rows(p Policy) []row {
	var (
		primary   = []machine.Role{Primary}
		secondary = []machine.Role{Secondary}
		ferrus    = []machine.Role{machine.Ferrus}
		person    = []machine.Role{machine.Human}

		fresh     = at(StateInit)
		working   = at(StateWorking)
		reviewing = at(StateReviewing)
		alive     = at(StateInit, StateWorking, StateReviewing)

		left, none      = p.left(), p.none()
		patient, enough = p.patient(), p.enough()
	)
	return []row{
		{From: fresh, On: KindStarted, By: ferrus, To: StateWorking, Set: begin, Note: "iteration 1"},
		{From: fresh, On: KindStartFailed, By: ferrus, To: StateFailed, Set: fails(NotStarted)},

		{From: working, On: KindDone, By: primary, If: all(idle), Set: pend(SignalDone), Note: "the gate runs"},
		{From: working, On: KindPass, By: primary, When: all(both, unedited), If: all(idle), Set: pend(SignalPass), Note: "the gate runs; a vote if it is green"},
		{From: working, On: KindPass, By: primary, When: all(both, edited), If: all(idle), Set: pend(SignalDone), Note: "counts as done: who worked does not vote; the gate runs"},
		{From: working, On: KindNoSignal, By: primary, When: all(paired, patient), If: all(idle), To: StateReviewing, Set: silent},
		{From: working, On: KindNoSignal, By: primary, When: all(single, patient, left), If: all(idle), To: StateWorking, Set: silentOn, Note: "iteration + 1"},
		{From: working, On: KindNoSignal, By: primary, When: all(single, patient, none), If: all(idle), To: StateFailed, Set: limit},
		{From: working, On: KindGated, By: ferrus, When: all(green, single), To: StateComplete, Set: settle},
		{From: working, On: KindGated, By: ferrus, When: all(green, doneWaits, paired), To: StateReviewing, Set: settle},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, still, otherVote), To: StateComplete, Set: vote, Note: "both passed one tree"},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, still, noOtherVote), To: StateReviewing, Set: vote, Note: "the primary's vote is kept"},
		{From: working, On: KindGated, By: ferrus, When: all(green, passWaits, moved), To: StateReviewing, Set: settle, Note: "the vote is void: the tree moved"},
		{From: working, On: KindGated, By: ferrus, When: all(red, left), To: StateWorking, Set: again, Note: "iteration + 1; the report is told"},
		{From: working, On: KindGated, By: ferrus, When: all(red, none), To: StateFailed, Set: limit},

		{From: reviewing, On: KindPass, By: secondary, When: all(unedited), If: all(idle), Set: pend(SignalPass), Note: "the gate runs, unless it was green on this tree"},
		{From: reviewing, On: KindPass, By: secondary, When: all(edited, left), If: all(idle), To: StateWorking, Set: again, Note: "void: who edits does not vote; iteration + 1"},
		{From: reviewing, On: KindPass, By: secondary, When: all(edited, none), If: all(idle), To: StateFailed, Set: limit},
		{From: reviewing, On: KindRework, By: secondary, When: all(left), If: all(idle), To: StateWorking, Set: again, Note: "iteration + 1; the notes are told"},
		{From: reviewing, On: KindRework, By: secondary, When: all(none), If: all(idle), To: StateFailed, Set: limit},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(patient, left), If: all(idle), To: StateWorking, Set: silentOn, Note: "iteration + 1; the text is told as notes"},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(patient, none), If: all(idle), To: StateFailed, Set: limit},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, enoughVotes), To: StateComplete, Set: vote},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, voteMissing, left), To: StateWorking, Set: voteOn, Note: "the secondary's vote is kept; iteration + 1"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, still, voteMissing, none), To: StateFailed, Set: limitVote},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, moved, left), To: StateWorking, Set: again, Note: "the pass is void: the tree moved; iteration + 1"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(green, moved, none), To: StateFailed, Set: limit},
		{From: reviewing, On: KindGated, By: ferrus, When: all(red, left), To: StateWorking, Set: again, Note: "iteration + 1; the report is told"},
		{From: reviewing, On: KindGated, By: ferrus, When: all(red, none), To: StateFailed, Set: limit},

		{From: working, On: KindNoSignal, By: primary, When: all(enough), If: all(idle), To: StateFailed, Set: fails(Silence), Note: "the last of too many in a row"},
		{From: reviewing, On: KindNoSignal, By: secondary, When: all(enough), If: all(idle), To: StateFailed, Set: fails(Silence), Note: "the last of too many in a row"},
		{From: working, On: KindFail, By: primary, If: all(idle), To: StateFailed, Set: fails(GivenUp)},
		{From: reviewing, On: KindFail, By: secondary, If: all(idle), To: StateFailed, Set: fails(GivenUp)},
		{From: at(StateWorking, StateReviewing), On: KindBroken, By: ferrus, If: all(idle), To: StateFailed, Set: fails(AgentError)},
		{From: alive, On: KindCancel, By: person, To: StateFailed, Set: fails(Cancelled), Note: "`resume_state` is kept"},

		{From: at(StateFailed), On: KindResume, By: person, When: all(stopped), Back: back, May: alive, Set: resume, Note: "the same iteration; its turn runs again"},
		{From: at(StateFailed), On: KindResume, By: person, When: all(limited), If: all(left), Back: back, May: at(StateWorking), Set: resumeOn, Note: "with a higher limit; iteration + 1"},
	}
}

// late tells a verdict that nothing waits for.
func late(s Snap, e machine.Event) bool {
	_, gated := e.(Gated)
	return gated && s.Data.Pending == NoneYet
}

// What tells rows apart, and what they require.
var (
	idle = guard{Name: "no gate runs", Reason: "the gate runs on the turn before", Expected: "a turn",
		Holds: func(s Snap) bool { return s.Data.Pending == NoneYet }}

	single = guard{Name: "single", Holds: func(s Snap) bool { return s.Data.Mode == Single }}
	paired = guard{Name: "with a reviewer", Holds: func(s Snap) bool { return s.Data.Mode != Single }}
	both   = guard{Name: "consensus", Reason: "only in consensus does who works vote", Holds: func(s Snap) bool { return s.Data.Mode == Consensus }}

	edited   = guard{Name: "turn edited", Met: func(_ Snap, e machine.Event) bool { return turnOf(e).Edited }}
	unedited = guard{Name: "nothing edited", Met: func(_ Snap, e machine.Event) bool { return !turnOf(e).Edited }}

	green = guard{Name: "green", Met: func(_ Snap, e machine.Event) bool { return e.(Gated).Green }}
	red   = guard{Name: "red", Met: func(_ Snap, e machine.Event) bool { return !e.(Gated).Green }}
	moved = guard{Name: "tree moved", Met: func(_ Snap, e machine.Event) bool { return e.(Gated).Moved }}
	still = guard{Name: "same tree", Met: func(_ Snap, e machine.Event) bool { return !e.(Gated).Moved }}

	doneWaits = guard{Name: "after done", Holds: func(s Snap) bool { return s.Data.Pending == SignalDone }}
	passWaits = guard{Name: "after pass", Holds: func(s Snap) bool { return s.Data.Pending == SignalPass }}

	otherVote   = guard{Name: "the secondary passed it", Holds: func(s Snap) bool { return s.Data.Secondary }}
	noOtherVote = guard{Name: "the secondary has not", Holds: func(s Snap) bool { return !s.Data.Secondary }}
	enoughVotes = guard{Name: "review, or the primary passed it", Holds: func(s Snap) bool { return s.Data.Mode == Review || s.Data.Primary }}
	voteMissing = guard{Name: "consensus, and the primary has not", Holds: func(s Snap) bool { return s.Data.Mode == Consensus && !s.Data.Primary }}

	stopped = guard{Name: "not at the limit", Holds: func(s Snap) bool { return s.Data.Reason != MaxIterations }}
	limited = guard{Name: "at the limit", Holds: func(s Snap) bool { return s.Data.Reason == MaxIterations }}
)

func turnOf(e machine.Event) Turn { return e.(interface{ turn() Turn }).turn() }

func (p Policy) left() guard {
	return guard{Name: "iterations left", Reason: "the iterations are used up", Expected: "a limit above the iterations made",
		Fix: "resume it with a higher --max-iterations", Holds: func(s Snap) bool { return s.Data.Iteration < p.Iterations }}
}

func (p Policy) none() guard {
	return guard{Name: "last iteration", Holds: func(s Snap) bool { return s.Data.Iteration >= p.Iterations }}
}

func (p Policy) patient() guard {
	return guard{Name: "fewer than " + number(p.Silent) + " in a row", Holds: func(s Snap) bool { return s.Data.Silent+1 < p.Silent }}
}

func (p Policy) enough() guard {
	return guard{Name: number(p.Silent) + " in a row", Holds: func(s Snap) bool { return s.Data.Silent+1 >= p.Silent }}
}
