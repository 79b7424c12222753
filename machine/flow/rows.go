package flow

import (
	"slices"

	"ferrus/machine"
)

func states(s ...machine.State) []machine.State { return s }

// set returns the Set of a row that enters a phase, with one more change; nil: none.
func (f *Flow) set(to machine.State, change func(*Data)) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := f.moved(s, to, e)
		if change != nil {
			change(&d)
		}
		return d
	}
}

// moved returns the data at the entry of a phase. The cycles of a compound end with it,
// and a phase that waits for the human gets the ticket of the event.
func (f *Flow) moved(s Snap, to machine.State, e machine.Event) Data {
	d := s.Data
	d.Ticket, d.From = 0, ""
	if in := f.Phase(to).In; in == "" || in != f.Phase(s.At).In {
		d.Cycles = 0
	}
	if f.Phase(to).Run == RunHuman {
		if asks, ok := e.(interface{ ticket() uint64 }); ok {
			d.Ticket = asks.ticket()
		}
	}
	switch to {
	case Blocked:
		d.From, d.Cycles = s.At, s.Data.Cycles
	case Synthesize:
		d.Publishes = 0
	}
	return d
}

// enter returns a row from one phase to another, for every role that may enter phases.
func (f *Flow) enter(from, to machine.State, guards ...guard) []row {
	return []row{f.way(from, to, anyRole, nil, "", guards...)}
}

// way returns a row that enters a phase under some guards.
func (f *Flow) way(from, to machine.State, by []machine.Role, change func(*Data), note string, guards ...guard) row {
	return row{From: states(from), On: enterKind(to), By: by, If: guards, To: to, Set: f.set(to, change), Note: note}
}

// planned returns the rows of a plan that the human approves or sends back.
func (f *Flow) planned(plan, review, on machine.State) []row {
	return []row{
		f.way(plan, review, anyRole, nil, "", planExists),
		f.way(review, on, anyRole, func(d *Data) { d.Revisions = 0 }, "", approved),
		f.way(review, plan, anyRole, func(d *Data) { d.Revisions++ }, "revisions + 1", gapsFound, revisionsLeft),
		f.way(review, Blocked, byItself, nil, "the human decides", gapsFound, revisionsUsedUp),
		f.stays(KindApprove, human, "planReview.approved, by whom", review),
		{From: states(review), On: KindRevise, By: human, If: []guard{notes},
			Note: "planReview.gapsFound, with the notes"},
		f.tasks(plan),
	}
}

// delegated returns the rows of a phase whose tasks go through the task loop.
func (f *Flow) delegated(phase, on machine.State) []row {
	return []row{
		f.way(phase, on, anyRole, nil, "", tasksComplete, disbanded),
		f.way(phase, Blocked, byItself, nil, "the human decides", taskFailed),
		f.tasks(phase),
		f.stays(KindTaskMoved, byItself, "tasks[].status; team.spawned, team.disbanded", phase),
	}
}

// tasks returns the row with which the supervisor plans the tasks of a phase.
func (f *Flow) tasks(phase machine.State) row {
	return row{From: states(phase), On: KindPlanTasks, By: supervisors, If: []guard{wellPlanned}, Note: "tasks"}
}

// reviewed returns the rows of a review phase, with a counted way back.
func (f *Flow) reviewed(phase, on, back machine.State, limit int) []row {
	return []row{
		f.way(phase, on, anyRole, nil, "", reviewsPassed),
		f.cycle(phase, back, reviewFailed, reviewDecided, circuitClosed(limit)),
		{From: states(phase), On: enterKind(Blocked), By: byItself, When: []guard{reviewStuck}, To: Blocked,
			Set: f.set(Blocked, nil), Note: "the human decides"},
		{From: states(phase), On: enterKind(Blocked), By: byItself, When: []guard{reviewDecided},
			If: []guard{reviewFailed, circuitOpen(limit)}, To: Blocked, Set: f.set(Blocked, nil),
			Note: "the human decides"},
		{From: states(phase), On: KindRecordReview, By: supervisors, If: []guard{wellReviewed},
			Note: "reviews.<dimension>"},
	}
}

// cycle returns a row back that counts a fix cycle.
func (f *Flow) cycle(from, back machine.State, guards ...guard) row {
	return f.way(from, back, anyRole, func(d *Data) { d.Cycles++ }, "fix cycle + 1", guards...)
}

// validated returns the rows of a gate on the work of tasks.
func (f *Flow) validated(phase, back machine.State, limit int) []row {
	return []row{
		f.cycle(phase, back, testsFail, circuitClosed(limit)),
		f.way(phase, Blocked, byItself, nil, "the human decides", testsFail, circuitOpen(limit)),
		f.stays(KindValidated, byItself, "validation.testsPass", phase),
	}
}

// proved returns the rows of a gate on a session's own work.
func (f *Flow) proved(phase, back machine.State) []row {
	return []row{
		f.way(phase, back, anyRole, nil, "", testsFail, proofsLeft),
		f.way(phase, Blocked, byItself, func(d *Data) { d.Proofs = 0 }, "the human decides", testsFail, proofsUsedUp),
		f.proof(phase),
	}
}

// proof returns the row that counts the failed gates in a row.
func (f *Flow) proof(phase machine.State) row {
	return row{From: states(phase), On: KindValidated, By: byItself,
		Note: "validation.testsPass; failed gates in a row + 1, or 0",
		Set: func(s Snap, e machine.Event) Data {
			s.Data.Proofs = min(s.Data.Proofs+1, ProofLimit)
			if e.(Validated).Tests == Green {
				s.Data.Proofs = 0
			}
			return s.Data
		}}
}

// asked returns the row with which the human lets a session try again, in a
// workflow without the phase blocked.
func (f *Flow) asked(phase machine.State) []row {
	return []row{{From: states(phase), On: KindRevise, By: human, If: []guard{proofsUsedUp, notes},
		Note: "failed gates in a row 0; the session gets the notes",
		Set:  func(s Snap, _ machine.Event) Data { s.Data.Proofs = 0; return s.Data }}}
}

// published returns the rows of publishing, with a way back to the tasks if it fails.
func (f *Flow) published(back machine.State) []row {
	return append(f.publishing(), f.way(Synthesize, back, supervisors, nil, "more work is needed", retryable))
}

// publishedOn is like published, with a way back that depends on the track.
func (f *Flow) publishedOn(back map[Track]machine.State) []row {
	rows := f.publishing()
	for _, t := range []Track{Thorough, Hotfix} {
		rows = append(rows, f.way(Synthesize, back[t], supervisors, nil, "more work is needed", retryable, selected(t)))
	}
	return rows
}

// publishing returns the rows of publishing: done, published, failed, and failed for the
// last time.
func (f *Flow) publishing() []row {
	failed := row{From: states(Synthesize), On: KindPublishFailed, By: byItself, When: []guard{publishLeft},
		Note: "synthesis.lastError; failures + 1",
		Set:  func(s Snap, _ machine.Event) Data { s.Data.Publishes++; return s.Data }}
	last := row{From: states(Synthesize), On: KindPublishFailed, By: byItself, When: []guard{publishLast}, To: Blocked,
		Note: "the human decides",
		Set:  f.set(Blocked, func(d *Data) { d.Publishes = PublishLimit })}
	return []row{
		f.way(Synthesize, Completed, anyRole, nil, "", prExists),
		f.stays(KindPublished, byItself, "synthesis.prUrl", Synthesize), failed, last,
	}
}

// unblocked returns the rows of the human's decisions in blocked. The work continues in
// the phase that was blocked or, for a phase that would only fail again, in the one
// that instead names for it.
func (f *Flow) unblocked(plan machine.State, instead map[machine.State]machine.State) []row {
	back := func(d Data) machine.State {
		if to := instead[d.From]; to != "" {
			return to
		}
		return d.From
	}
	var escalates, may []machine.State
	for _, p := range f.Phases {
		if p.Run == "" || p.ID == Blocked {
			continue
		}
		if p.Run != RunHuman && p.Run != RunPublish {
			escalates = append(escalates, p.ID)
		}
		if instead[p.ID] == "" {
			may = append(may, p.ID)
		}
	}
	fresh := func(d *Data) { d.Revisions, d.Publishes, d.Proofs, d.Cycles = 0, 0, 0, 0 }
	return []row{
		{From: escalates, On: KindEscalate, By: supervisors, If: []guard{notes}, To: Blocked, Set: f.set(Blocked, nil),
			Note: "the human decides"},
		{From: states(Blocked), On: KindUnblock, By: human, Back: back, May: may, Set: f.set("", fresh),
			Note: "human-unblocked; limits 0; continues where it was blocked, or in the phase that can fix it"},
		f.named(KindReplan, Blocked, plan, fresh),
	}
}

// named returns a row of the human that enters a phase by an event with its own name.
func (f *Flow) named(on machine.Kind, from, to machine.State, change func(*Data)) row {
	return row{From: states(from), On: on, By: human, To: to, Set: f.set(to, change), Note: "limits 0"}
}

// tracks returns the row with which the supervisor chooses a track in a phase.
func (f *Flow) tracks(phase machine.State, may ...Track) []row {
	one := guard{Name: "track-of-this-phase", Reason: "this phase does not offer the track", Expected: words(may),
		Fix: "call select_track with " + words(may), Fixer: []machine.Role{machine.Supervisor},
		Met: func(_ Snap, e machine.Event) bool { return slices.Contains(may, e.(SelectTrack).Track) },
		Suggest: func(Snap, machine.Event) *machine.Suggestion {
			return &machine.Suggestion{Tool: "select_track", Params: map[string]any{"track": string(may[0])}}
		}}
	return []row{{From: states(phase), On: KindSelectTrack, By: supervisors, If: []guard{one}, Note: "track"}}
}

func words(all []Track) string {
	text := string(all[0])
	for _, t := range all[1:] {
		text += " or " + string(t)
	}
	return text
}

// requested returns the row with which publication is requested.
func (f *Flow) requested(phases ...machine.State) []row {
	return []row{f.stays(KindRequestSynthesis, supervisors, "synthesize.requested", phases...)}
}

// stays returns a row that only records something: neither the phase nor a counter
// changes.
func (f *Flow) stays(on machine.Kind, by []machine.Role, note string, phases ...machine.State) row {
	return row{From: phases, On: on, By: by, Note: note}
}

// counted returns a row that changes a counter and stays in its phase.
func (f *Flow) counted(on machine.Kind, by []machine.Role, note string, change func(*Data),
	phases ...machine.State) row {
	return row{From: phases, On: on, By: by, Note: note, Set: func(s Snap, _ machine.Event) Data {
		change(&s.Data)
		return s.Data
	}}
}

// evidence returns the rows that record evidence, one for each kind, in the phases that
// take it.
func (f *Flow) evidence() []row {
	var all []row
	var order []Evidence
	from := map[Evidence][]machine.State{}
	for _, p := range f.Phases {
		for _, e := range p.Takes {
			if from[e] == nil {
				order = append(order, e)
			}
			from[e] = append(from[e], p.ID)
		}
	}
	for _, e := range order {
		all = append(all, f.stays(recordKind(e), supervisors, string(e), from[e]...))
	}
	return all
}

// universal returns the rows of every phase that is not final.
func (f *Flow) universal() []row {
	open := f.open()
	return []row{
		{From: open, On: KindCompensated, By: byItself, Note: "a step of the cancellation"},
		{From: open, On: KindCancel, By: human, If: []guard{compensated}, To: Cancelled, Set: f.set(Cancelled, nil)},
		{From: open, On: KindCleanup, By: []machine.Role{machine.Human, machine.Ferrus}, If: []guard{mergeVerified},
			To: Completed, Set: f.set(Completed, nil)},
	}
}
