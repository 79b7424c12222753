package flow

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/machinetest"
	"ferrus/store/longtest"
)

var roles = []machine.Role{machine.Supervisor, machine.Executor, machine.Human, machine.Ferrus}

// satisfied returns facts under which a guard holds, and says nothing about the other guards.
var satisfied = map[string]func(*Facts){
	"design-artifact-exists": func(f *Facts) {
		f.Design = true
	}, "plan-artifact-exists": func(f *Facts) { f.Plan = true },
	"oneshot-plan-set": func(f *Facts) { f.Plan = true }, "rca-document-complete": func(f *Facts) { f.RCA = true },
	"fix-design-complete": func(f *Facts) { f.FixDesign = true }, "triage-complete": func(f *Facts) { f.Triage = true },
	"scope-assessment-complete": func(f *Facts) { f.Scope = true }, "docs-updated": func(f *Facts) { f.Docs = true },
	"implementation-complete": func(f *Facts) {
		f.Finished = true
	}, "plan-review-complete": func(f *Facts) { f.Approved = true },
	"plan-review-gaps-found": func(f *Facts) { f.Gaps = true }, "all-tasks-complete": func(f *Facts) { f.Tasks = "" },
	"team-disbanded-emitted": func(f *Facts) { f.Living = "" }, "task-failed": func(f *Facts) { f.Failed = "t1" },
	"all-reviews-passed": func(f *Facts) { f.Missing, f.Failing, f.Stuck = "", "", "" },
	"any-review-failed": func(f *Facts) {
		f.Failing = "quality-review"
	}, "review-blocked": func(f *Facts) { f.Stuck = "spec-review" },
	"no-review-blocked": func(f *Facts) { f.Stuck = "" }, "validation-passed": func(f *Facts) { f.Tests = Green },
	"validation-failed": func(f *Facts) { f.Tests = Red },
	"synthesis-opted-in": func(f *Facts) {
		f.Policy = Always
	}, "synthesis-opted-out": func(f *Facts) { f.Policy = Never },
	"pr-url-exists": func(f *Facts) { f.Published = true }, "merge-verified": func(f *Facts) { f.Merged = true },
	"compensated":             func(f *Facts) { f.Undone = "" },
	"hotfix-track-selected":   func(f *Facts) { f.Track = Hotfix },
	"thorough-track-selected": func(f *Facts) { f.Track = Thorough },
	"polish-track-selected":   func(f *Facts) { f.Track = Polish },
	"overhaul-track-selected": func(f *Facts) { f.Track = Overhaul },
}

// nothing is the facts of a workflow in which no work has been done.
var nothing = Facts{Observed: Observed{Tasks: NoTasks, Living: "executor:demo:1", Missing: "spec-review",
	Undone: "branch"}}

// facts returns, for each row from a phase, facts that satisfy all of its guards and all but one,
// and facts that satisfy all rows together.
func facts(f *Flow, at machine.State) []Facts {
	all := []Facts{nothing, {}}
	for _, r := range f.Table.Rows {
		if !slices.Contains(r.From, at) {
			continue
		}
		guards := slices.Concat(r.When, r.If)
		for leave := -1; leave < len(guards); leave++ {
			one := nothing
			for i, g := range guards {
				if give := satisfied[g.Name]; give != nil && i != leave {
					give(&one)
				}
			}
			for _, more := range []Facts{one, both(one, guards)} {
				if !slices.Contains(all, more) {
					all = append(all, more)
				}
			}
		}
	}
	return all
}

// both returns facts with everything that satisfies the other guards added, except what the guards
// concern.
func both(f Facts, guards []guard) Facts {
	f.Design, f.Plan, f.Gaps, f.Approved, f.Requested, f.Published = true, true, true, true, true, true
	f.Failing, f.Failed, f.Tasks, f.Living = "quality-review", "t1", "", ""
	if f.Tests == "" {
		f.Tests = Red
	}
	for _, g := range guards {
		if give := satisfied[g.Name]; give != nil {
			give(&f)
		}
	}
	return f
}

// calls returns everything that any role may try: entering every phase from every phase, and every
// event, with facts of every kind, and with answers that are right, late or unnumbered.
func calls(f *Flow) func(Snap) []machinetest.Call {
	known := map[machine.State][]Facts{}
	for _, at := range f.States() {
		known[at] = facts(f, at)
	}
	return func(s Snap) []machinetest.Call {
		next := 3 - s.Data.Ticket
		if s.Data.Ticket == 0 {
			next = 1
		}
		var events []machine.Event
		for _, facts := range known[s.At] {
			events = append(events, Cancel{facts}, Cleanup{facts})
			for _, p := range f.Phases {
				events = append(events, Enter{facts, p.ID, next})
			}
		}
		for _, ticket := range []uint64{0, 1, 2} {
			events = append(events, Approve{ticket}, Revise{ticket, true}, Revise{ticket, false}, Unblock{ticket},
				Replan{ticket})
		}
		for _, p := range f.Phases {
			for _, e := range p.Takes {
				events = append(events, Record{e})
			}
		}
		for _, t := range []Track{Hotfix, Thorough, Polish, Overhaul, "other"} {
			events = append(events, SelectTrack{t})
		}
		events = append(events, PlanTasks{}, PlanTasks{"two tasks a"}, TaskMoved{}, RecordReview{},
			RecordReview{"no such dimension"}, RequestSynthesis{},
			Validated{Green}, Validated{Red}, Publish{true, next}, Publish{false, next}, Escalate{true, next},
			Escalate{false, next}, Compensated{})
		var calls []machinetest.Call
		for _, e := range events {
			for _, r := range roles {
				calls = append(calls, machinetest.Call{By: r, Event: e})
			}
		}
		return calls
	}
}

// Every row is used, no two rows apply at once, no snapshot is a dead end, counters stay within
// their limits, and no guard or role can be bypassed.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	for _, kind := range Types {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			f := Of(kind)
			x, err := machinetest.Explore(f.Table, f.Start(), calls(f), 5_000, func(e machinetest.Edge[Data]) error {
				return errors.Join(f.bounded(e.To), f.guarded(e), inRole(e), f.ends(e))
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range x.Faults(f.Table) {
				t.Error(fault)
			}
			for _, s := range x.Snaps {
				if !Over(s.At) && !slices.Contains(x.Ways[s], Cancelled) {
					t.Errorf("%v cannot be cancelled", s)
				}
			}
			t.Logf("%d snapshots, %d rows", len(x.Snaps), len(f.Table.Rows))
		})
	}
}

func (f *Flow) bounded(s Snap) error {
	d := s.Data
	limit := max(f.Compound(f.Phase(s.At).In).Cycles, 0)
	switch {
	case s.At != Blocked && d.Cycles > limit:
		return errors.New("more fix cycles than the compound has")
	case d.Revisions > RevisionLimit || d.Publishes > PublishLimit || d.Proofs > ProofLimit:
		return errors.New("a counter is beyond its limit")
	case (s.At == Blocked) != (d.From != ""):
		return errors.New("blocked from nowhere, or a way back without blocked")
	case d.Ticket != 0 && f.Phase(s.At).Run != RunHuman:
		return errors.New("a number where the human is asked nothing")
	}
	return nil
}

// guarded checks, independently of the table, the moves that users rely on: a workflow in a phase
// has what the phase needs.
func (f *Flow) guarded(e machinetest.Edge[Data]) error {
	enter, ok := e.Call.Event.(Enter)
	if !ok {
		return nil
	}
	got := enter.Facts
	switch {
	case e.To.At == "delegate" && e.From.At == "plan-review" && !got.Approved:
		return errors.New("code is written on a plan that was not approved")
	case e.From.At == "delegate" && e.To.At == "review" && (got.Tasks != "" || got.Living != ""):
		return errors.New("reviewed before the tasks are complete and the team is gone")
	case e.To.At == Synthesize && e.From.At == "review" && got.Missing+got.Failing+got.Stuck != "":
		return errors.New("published what did not pass its review")
	case e.To.At == Completed && e.From.At == Synthesize && !got.Published:
		return errors.New("completed without anything that was published")
	case e.To.At == Cancelled:
		return errors.New("cancelled without its compensation")
	}
	return nil
}

// mine maps the events that only one role may cause to that role.
var mine = map[machine.Kind]machine.Role{
	"approve": machine.Human, "revise": machine.Human, "unblock": machine.Human, "replan": machine.Human,
	"cancel":    machine.Human,
	"validated": machine.Ferrus, "published": machine.Ferrus, "publish_failed": machine.Ferrus,
	"task_moved":  machine.Ferrus,
	"compensated": machine.Ferrus, "enter blocked": machine.Ferrus,
}

func inRole(e machinetest.Edge[Data]) error {
	if e.Call.By == machine.Executor {
		return errors.New("an executor moves a workflow")
	}
	if who, ok := mine[e.Call.Event.Kind()]; ok && e.Call.By != who {
		return fmt.Errorf("%s is not the %s's", e.Call.Event.Kind(), e.Call.By)
	}
	return nil
}

func (f *Flow) ends(e machinetest.Edge[Data]) error {
	switch {
	case Over(e.From.At):
		return errors.New("leaves what is over")
	case f.Type == Oneshot && e.To.At == Blocked:
		return errors.New("a oneshot has no blocked")
	}
	return nil
}

// The two outcomes of work without a review exclude each other under every policy, and one of them
// is always open.
func TestOptedInOrOut(t *testing.T) {
	for _, policy := range []Policy{Always, Never, OnRequest, "", "ALWAYS", "nonsense"} {
		for _, requested := range []bool{false, true} {
			f := Facts{Decided: Decided{Policy: policy, Requested: requested}, Observed: Observed{Tests: Green}}
			if f.optedIn() == f.optedOut() {
				t.Errorf("%q, requested %v: in %v, out %v", policy, requested, f.optedIn(), f.optedOut())
			}
			want := Completed
			if policy == Always || policy != Never && requested {
				want = Synthesize
			}
			if got := Of(Oneshot).Next(Snap{At: "implementing"}, f); got != want {
				t.Errorf("%q, requested %v leads to %q, not %q", policy, requested, got, want)
			}
		}
	}
}

// At the limit the way back is refused with CIRCUIT_OPEN, and ferrus alone can move to blocked,
// where the human decides. Entering the compound again starts a new count.
func TestCircuit(t *testing.T) {
	for _, c := range []struct {
		kind         Type
		review, back machine.State
		limit        int
		why          Facts
	}{
		{Feature, "review", "delegate", 3, Facts{Observed: Observed{Failing: "spec-review"}}},
		{Refactor, "overhaul-review", "overhaul-delegate", 3, Facts{Observed: Observed{Failing: "spec-review"}}},
		{Debug, "debug-review", "debug-implement", 2, Facts{Observed: Observed{Failing: "spec-review"}}},
		{Debug, "debug-validate", "debug-implement", 2, Facts{Observed: Observed{Tests: Red}}},
	} {
		tab := Of(c.kind).Table
		s := Snap{At: c.review}
		for range c.limit {
			next, _, err := tab.Step(s, machine.Supervisor, Enter{c.why, c.back, 0})
			if err != nil {
				t.Fatalf("%s: %v", c.review, err)
			}
			s = Snap{At: c.review, Data: next.Data}
		}
		var no *machine.Refusal
		if _, _, err := tab.Step(s, machine.Supervisor, Enter{c.why, c.back, 0}); !errors.As(err, &no) ||
			no.Code != machine.CircuitOpen {
			t.Fatalf("%s, cycle %d: %v", c.review, c.limit+1, err)
		}
		blocked, _, err := tab.Step(s, machine.Ferrus, Enter{c.why, Blocked, 7})
		if err != nil || blocked.Data.From != c.review || blocked.Data.Ticket != 7 {
			t.Fatalf("%s: %+v, %v", c.review, blocked, err)
		}
		if _, _, err := tab.Step(blocked, machine.Human, Unblock{6}); !errors.As(err, &no) || no.Code != machine.Stale {
			t.Errorf("an answer to something else: %v", err)
		}
		again, _, err := tab.Step(blocked, machine.Human, Unblock{7})
		if err != nil || again.At != c.back || again.Data.Cycles != 0 {
			t.Errorf("unblocked: %+v, %v", again, err)
		}
	}
}

// A refusal names every failed guard in order, and a caller who asks for a move without a row
// learns which moves are open.
func TestRefusals(t *testing.T) {
	tab := Of(Feature).Table
	var no *machine.Refusal
	_, _, err := tab.Step(Snap{At: "delegate"}, machine.Supervisor, Enter{nothing, "review", 0})
	if !errors.As(err, &no) || len(no.Failed) != 2 || no.Failed[0].Guard != "all-tasks-complete" ||
		no.Failed[1].Guard != "team-disbanded-emitted" {
		t.Fatalf("%v", err)
	}
	if fix := no.Failed[0].Suggested; fix == nil || fix.Tool != "plan_tasks" || no.Failed[1].Suggested != nil {
		t.Errorf("suggested %+v and %+v", fix, no.Failed[1].Suggested)
	}
	_, _, err = tab.Step(Snap{At: "delegate"}, machine.Supervisor, Enter{nothing, Synthesize, 0})
	if !errors.As(err, &no) || no.Code != machine.NoSuchTransition ||
		!slices.ContainsFunc(no.Options, func(o machine.Option) bool {
			return o.Event == "enter review"
		}) {
		t.Errorf("a way that is not there: %v", err)
	}
	_, _, err = tab.Step(Snap{At: "plan-review"}, machine.Supervisor, Approve{})
	if !errors.As(err, &no) || no.Code != machine.NotYourRole {
		t.Errorf("an agent approves its own plan: %v", err)
	}
}

// Every guard of an entry says why it fails and shows the shape that it expects.
func TestGuardsExplain(t *testing.T) {
	for _, kind := range Types {
		for _, r := range Of(kind).Table.Rows {
			for _, g := range r.If {
				f := g.Reason
				if g.Why == nil && f == "" || g.Expected == "" {
					t.Errorf("%s: %s on %s has no reason or no shape", kind, g.Name, r.On)
				}
			}
		}
	}
}

// Random walks end, and replaying their events gives the same result.
func TestRandomWalks(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	walks := 2
	if longtest.On() {
		walks = 20
	}
	for _, kind := range Types {
		f := Of(kind)
		try := calls(f)
		for range walks {
			s := f.Start()
			var taken []machinetest.Call
			for range 300 {
				all := try(s)
				shuffle(random, all)
				for _, c := range all[:min(len(all), 200)] {
					next, _, err := f.Table.Step(s, c.By, c.Event)
					if err == nil {
						s, taken = next, append(taken, c)
						break
					}
					if next != s {
						t.Fatalf("seed %d: a refusal changed %v to %v", seed, s, next)
					}
				}
			}
			again := f.Start()
			for _, c := range taken {
				again, _, _ = f.Table.Step(again, c.By, c.Event)
			}
			if again != s {
				t.Fatalf("seed %d: %v replays as %v", seed, s, again)
			}
		}
	}
}

func shuffle(random *rand.Rand, all []machinetest.Call) {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
}
