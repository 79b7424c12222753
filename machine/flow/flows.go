package flow

import (
	"slices"
	"sync"

	"ferrus/machine"
)

// Of returns the machine of a type; nil: there is no such type. It is built once and only read.
func Of(t Type) *Flow { return flows()[t] }

var flows = sync.OnceValue(func() map[Type]*Flow {
	return map[Type]*Flow{Feature: feature(), Debug: debug(), Refactor: refactor(), Oneshot: oneshot()}
})

// feature returns the flow of a feature: ideate, plan, plan-review, then tasks and reviews in a loop of at most 3 fix
// cycles, then publishing.
func feature() *Flow {
	f := &Flow{Type: Feature,
		Compounds: []Compound{{ID: "implementation", Initial: "delegate", Cycles: 3}},
		Phases: []Phase{
			{ID: "ideate", Run: RunAgent, Takes: takes(Design)},
			{ID: Plan, Run: RunAgent, Takes: takes(Design, PlanText), Clears: takes(PlanText, PlanReview)},
			{ID: "plan-review", Run: RunHuman, Clears: takes(PlanReview)},
			{ID: "delegate", In: "implementation", Run: RunTasks},
			{ID: "review", In: "implementation", Run: RunReview, Clears: takes(Reviews)},
			{ID: Synthesize, Run: RunPublish, Clears: takes(Synthesis)},
			{ID: Blocked, Run: RunHuman},
		}}
	return f.with(
		f.enter("ideate", Plan, designExists),
		f.planned(Plan, "plan-review", "delegate"),
		f.delegated("delegate", "review"),
		f.reviewed("review", Synthesize, "delegate", 3),
		f.published("delegate"),
		f.unblocked(Plan, map[machine.State]machine.State{"plan-review": "delegate", "review": "delegate"}),
	)
}

// debug returns the flow of a bug: triage and investigation, then one of two tracks: thorough, with an analysis
// and a review, or hotfix, with only the gate. A hotfix can switch to thorough.
func debug() *Flow {
	f := &Flow{Type: Debug,
		Compounds: []Compound{{ID: "thorough-track", Initial: "rca", Cycles: 2},
			{ID: "hotfix-track", Initial: "hotfix-implement", Cycles: 2}},
		Phases: []Phase{
			{ID: "triage", Run: RunAgent, Takes: takes(Triage)},
			{ID: "investigate", Run: RunAgent, Takes: takes(Triage, Cause), Clears: takes(Cause, TrackSet)},
			{ID: "rca", In: "thorough-track", Run: RunAgent, Takes: takes(RCA), Clears: takes(RCA)},
			{ID: "design", In: "thorough-track", Run: RunAgent, Takes: takes(FixDesign), Clears: takes(FixDesign)},
			{ID: "debug-implement", In: "thorough-track", Run: RunTasks},
			{ID: "debug-validate", In: "thorough-track", Run: RunGate, Clears: takes(Tests)},
			{ID: "debug-review", In: "thorough-track", Run: RunReview, Clears: takes(Reviews)},
			{ID: "hotfix-implement", In: "hotfix-track", Run: RunTasks},
			{ID: "hotfix-validate", In: "hotfix-track", Run: RunGate, Clears: takes(Tests)},
			{ID: Synthesize, Run: RunPublish, Clears: takes(Synthesis)},
			{ID: Blocked, Run: RunHuman},
		}}
	return f.with(
		f.enter("triage", "investigate", triaged),
		f.enter("investigate", "rca", selected(Thorough)),
		f.enter("investigate", "hotfix-implement", selected(Hotfix)),
		f.enter("rca", "design", rcaComplete),
		f.enter("design", "debug-implement", fixDesigned),
		f.delegated("debug-implement", "debug-validate"),
		f.validated("debug-validate", "debug-implement", 2),
		f.enter("debug-validate", "debug-review", testsPass),
		f.reviewed("debug-review", Synthesize, "debug-implement", 2),
		f.delegated("hotfix-implement", "hotfix-validate"),
		f.validated("hotfix-validate", "hotfix-implement", 2),
		f.enter("hotfix-validate", Synthesize, testsPass, optedIn),
		f.enter("hotfix-validate", Completed, testsPass, optedOut),
		f.requested("hotfix-implement", "hotfix-validate"),
		f.tracks("investigate", Hotfix, Thorough),
		f.tracks("hotfix-implement", Thorough), f.tracks("hotfix-validate", Thorough),
		f.enter("hotfix-implement", "rca", selected(Thorough), disbanded),
		f.enter("hotfix-validate", "rca", selected(Thorough), disbanded),
		f.publishedOn(map[Track]machine.State{Thorough: "debug-implement", Hotfix: "hotfix-implement"}),
		f.unblocked("investigate", map[machine.State]machine.State{
			"debug-validate": "debug-implement", "debug-review": "debug-implement",
			"hotfix-validate": "hotfix-implement"}),
	)
}

// refactor returns the flow of a refactoring: exploration and a brief, then one of two tracks: polish,
// which one session carries out, or overhaul, which is planned and delegated. Polish can switch to
// overhaul.
func refactor() *Flow {
	f := &Flow{Type: Refactor,
		Compounds: []Compound{{ID: "polish-track", Initial: "polish-implement"},
			{ID: "overhaul-track", Initial: "overhaul-plan", Cycles: 3}},
		Phases: []Phase{
			{ID: "explore", Run: RunAgent, Takes: takes(Scope)},
			{ID: "brief", Run: RunAgent, Takes: takes(Brief), Clears: takes(Brief, TrackSet)},
			{ID: "polish-implement", In: "polish-track", Run: RunEdit, Takes: takes(Finished), Clears: takes(Finished)},
			{ID: "polish-validate", In: "polish-track", Run: RunGate, Clears: takes(Tests)},
			{ID: "polish-update-docs", In: "polish-track", Run: RunEdit, Takes: takes(Docs), Clears: takes(Docs)},
			{ID: "overhaul-plan", In: "overhaul-track", Run: RunAgent, Takes: takes(PlanText),
				Clears: takes(PlanText, PlanReview)},
			{ID: "overhaul-plan-review", In: "overhaul-track", Run: RunHuman, Clears: takes(PlanReview)},
			{ID: "overhaul-delegate", In: "overhaul-track", Run: RunTasks},
			{ID: "overhaul-review", In: "overhaul-track", Run: RunReview, Clears: takes(Reviews)},
			{ID: "overhaul-update-docs", In: "overhaul-track", Run: RunEdit, Takes: takes(Docs), Clears: takes(Docs)},
			{ID: Synthesize, Run: RunPublish, Clears: takes(Synthesis)},
			{ID: Blocked, Run: RunHuman},
		}}
	return f.with(
		f.enter("explore", "brief", scoped),
		f.enter("brief", "polish-implement", selected(Polish)),
		f.enter("brief", "overhaul-plan", selected(Overhaul)),
		f.enter("polish-implement", "polish-validate", finished),
		f.enter("polish-validate", "polish-update-docs", testsPass),
		f.proved("polish-validate", "polish-implement"),
		f.enter("polish-update-docs", Completed, docsUpdated),
		f.tracks("brief", Polish, Overhaul),
		f.tracks("polish-implement", Overhaul), f.tracks("polish-validate", Overhaul),
		f.enter("polish-implement", "overhaul-plan", selected(Overhaul), disbanded),
		f.enter("polish-validate", "overhaul-plan", selected(Overhaul), disbanded),
		f.planned("overhaul-plan", "overhaul-plan-review", "overhaul-delegate"),
		f.delegated("overhaul-delegate", "overhaul-review"),
		f.reviewed("overhaul-review", "overhaul-update-docs", "overhaul-delegate", 3),
		f.enter("overhaul-update-docs", Synthesize, docsUpdated),
		f.published("overhaul-delegate"),
		f.unblocked("brief", map[machine.State]machine.State{
			"polish-validate": "polish-implement", "overhaul-plan-review": "overhaul-delegate",
			"overhaul-review": "overhaul-delegate"}),
	)
}

// oneshot returns the flow of a small change: a plan and one session that implements it. Without
// blocked, the human lets the session try again after too many red gates.
func oneshot() *Flow {
	f := &Flow{Type: Oneshot, Phases: []Phase{
		{ID: Plan, Run: RunAgent, Takes: takes(PlanText, Summary)},
		{ID: "implementing", Run: RunEdit, Takes: takes(Finished), Clears: takes(Finished, Tests)},
		{ID: Synthesize, Run: RunPublish, Clears: takes(Synthesis)},
	}}
	return f.with(
		f.enter(Plan, "implementing", planSet),
		f.enter("implementing", Synthesize, testsPass, optedIn),
		f.enter("implementing", Completed, testsPass, optedOut),
		f.requested(Plan, "implementing"),
		f.asked("implementing"),
		f.enter(Synthesize, Completed, prExists),
		[]row{
			f.proof("implementing"),
			f.stays(KindPublished, byItself, "synthesis.prUrl", Synthesize),
			f.counted(KindPublishFailed, byItself, "synthesis.lastError", func(d *Data) {
				d.Publishes = min(d.Publishes+1, PublishLimit)
			}, Synthesize),
		},
	)
}

func takes(all ...Evidence) []Evidence { return all }

// with completes a flow with its rows, the final phases and the rows of every flow.
func (f *Flow) with(groups ...[]row) *Flow {
	f.Phases = append(f.Phases, Phase{ID: Completed}, Phase{ID: Cancelled})
	rows := slices.Concat(groups...)
	rows = append(rows, f.evidence()...)
	f.Table = &machine.Table[Data]{
		Name: string(f.Type), States: f.States(), Final: []machine.State{Completed, Cancelled},
		Rows: append(rows, f.universal()...), Late: late, LateWhy: lateWhy,
	}
	return f
}

// States returns the phases as states, in order.
func (f *Flow) States() []machine.State {
	all := make([]machine.State, len(f.Phases))
	for i, p := range f.Phases {
		all[i] = p.ID
	}
	return all
}

// open returns the phases that are not final.
func (f *Flow) open() []machine.State {
	var all []machine.State
	for _, p := range f.Phases {
		if p.Run != "" {
			all = append(all, p.ID)
		}
	}
	return all
}

// Phase returns the phase with an id; the zero Phase if there is none.
func (f *Flow) Phase(id machine.State) Phase {
	i := slices.IndexFunc(f.Phases, func(p Phase) bool { return p.ID == id })
	if i < 0 {
		return Phase{}
	}
	return f.Phases[i]
}

// Compound returns the compound with an id; the zero Compound if there is none.
func (f *Flow) Compound(id machine.State) Compound {
	i := slices.IndexFunc(f.Compounds, func(c Compound) bool { return c.ID == id })
	if i < 0 {
		return Compound{}
	}
	return f.Compounds[i]
}

// Start returns the snapshot of a workflow that has just begun.
func (f *Flow) Start() Snap { return Snap{At: f.Phases[0].ID} }

// Over reports whether a phase is final.
func Over(at machine.State) bool { return at == Completed || at == Cancelled }
