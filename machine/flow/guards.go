package flow

import (
	"fmt"
	"strings"

	"ferrus/machine"
)

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
	shape = map[string]any
)

var (
	supervisors = []machine.Role{machine.Supervisor, machine.Human}
	human       = []machine.Role{machine.Human}
	byItself    = []machine.Role{machine.Ferrus}
	anyRole     = []machine.Role{machine.Supervisor, machine.Ferrus, machine.Human}
)

func factsOf(e machine.Event) Facts { return e.(interface{ facts() Facts }).facts() }

// nested returns a value at a dotted path, as the JSON objects around it.
func nested(path string, value any) shape {
	first, rest, more := strings.Cut(path, ".")
	if more {
		value = nested(rest, value)
	}
	return shape{first: value}
}

// recorded returns a guard for evidence that the supervisor records with workflow_set.
func recorded(name string, e Evidence, value any, has func(Facts) bool) guard {
	want := nested(string(e), value)
	return guard{Name: name, Reason: name + " not satisfied: " + string(e) + " is not recorded", Expected: string(e),
		Fix: "call workflow_set with updates." + string(e), Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { return has(factsOf(e)) },
		Shape: func(Snap, machine.Event) any { return want },
		Suggest: func(Snap, machine.Event) *machine.Suggestion {
			return &machine.Suggestion{Tool: "workflow_set", Params: map[string]any{"updates": want}}
		}}
}

// TrackSelected is the end of the name of each guard that a track has been chosen.
const TrackSelected = "-track-selected"

// selected returns a guard for a track.
func selected(t Track) guard {
	want := shape{"track": string(t)}
	return guard{Name: string(t) + TrackSelected, Expected: "track = " + string(t),
		Fix: "call select_track with " + string(t), Fixer: []machine.Role{machine.Supervisor},
		Met: func(_ Snap, e machine.Event) bool { return factsOf(e).Track == t },
		Why: func(_ Snap, e machine.Event) string {
			return fmt.Sprintf("the track is %q, not %q", factsOf(e).Track, t)
		},
		Shape: func(Snap, machine.Event) any { return want },
		Suggest: func(Snap, machine.Event) *machine.Suggestion {
			return &machine.Suggestion{Tool: "select_track", Params: want}
		}}
}

// others returns a guard that only a role other than the caller can satisfy.
func others(name, reason, path string, value any, fix string, fixer []machine.Role, met func(Facts) bool) guard {
	want := nested(path, value)
	return guard{Name: name, Reason: reason, Expected: path, Fix: fix, Fixer: fixer,
		Met:   func(_ Snap, e machine.Event) bool { return met(factsOf(e)) },
		Shape: func(Snap, machine.Event) any { return want }}
}

// The guards that were specified with the workflows; their names are part of refusals.
var (
	designExists = recorded("design-artifact-exists", Design, "<path-or-content>", func(f Facts) bool {
		return f.Design
	})
	planExists  = recorded("plan-artifact-exists", PlanText, "<path-or-content>", func(f Facts) bool { return f.Plan })
	planSet     = recorded("oneshot-plan-set", PlanText, "<path-or-content>", func(f Facts) bool { return f.Plan })
	rcaComplete = recorded("rca-document-complete", RCA, "<path-or-content>", func(f Facts) bool { return f.RCA })
	fixDesigned = recorded("fix-design-complete", FixDesign, "<path-or-content>", func(f Facts) bool {
		return f.FixDesign
	})
	triaged = recorded("triage-complete", Triage, shape{"symptom": "<what fails>"}, func(f Facts) bool {
		return f.Triage
	})
	scoped = recorded("scope-assessment-complete", Scope, "<files, modules, risk>", func(f Facts) bool {
		return f.Scope
	})
	finished    = recorded("implementation-complete", Finished, true, func(f Facts) bool { return f.Finished })
	docsUpdated = recorded("docs-updated", Docs, true, func(f Facts) bool { return f.Docs })

	approved = others("plan-review-complete", "the human has not approved the plan: planReview.approved must be true",
		"planReview.approved", true,
		"approve it: ferrus workflow approve", human, func(f Facts) bool { return f.Approved })
	gapsFound = others("plan-review-gaps-found", "the human has not sent the plan back: planReview.gapsFound "+
		"must be true", "planReview.gapsFound", true,
		"send it back: ferrus workflow revise <notes>", human, func(f Facts) bool { return f.Gaps })

	tasksComplete = guard{Name: "all-tasks-complete", Expected: `every task has the status "complete"`,
		Fix:   "if no task is open, plan tasks with plan_tasks; ferrus runs them",
		Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { return factsOf(e).Tasks == "" },
		Why:   func(_ Snap, e machine.Event) string { return factsOf(e).Tasks },
		Shape: func(Snap, machine.Event) any {
			return shape{"tasks": []any{shape{"id": "<id>", "status": "complete"}}}
		},
		Suggest: func(_ Snap, e machine.Event) *machine.Suggestion {
			if !strings.HasPrefix(factsOf(e).Tasks, NoTasks) {
				return nil // The tasks run.
			}
			task := shape{"id": "<id>", "title": "<title>", "text": "<what to do>"}
			return &machine.Suggestion{Tool: "plan_tasks", Params: map[string]any{"tasks": []any{task}}}
		}}
	disbanded = guard{Name: "team-disbanded-emitted", Expected: "no executor of the phase is running",
		Fix:   "wait until its sessions have ended; HQ or ferrus run records that",
		Met:   func(_ Snap, e machine.Event) bool { return factsOf(e).Living == "" },
		Why:   func(_ Snap, e machine.Event) string { return livingReason(factsOf(e)) },
		Shape: func(Snap, machine.Event) any { return shape{"type": "team.disbanded"} }}
	taskFailed = guard{Name: "task-failed", Reason: "no task has failed", Expected: "a task in the state Failed",
		Met: func(_ Snap, e machine.Event) bool { return factsOf(e).Failed != "" }}

	reviewsPassed = guard{Name: "all-reviews-passed", Expected: `a review with the verdict "pass" for each dimension`,
		Fix: "call record_review for each dimension", Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { f := factsOf(e); return f.Missing+f.Failing+f.Stuck == "" },
		Why:   func(_ Snap, e machine.Event) string { return reviewReason(factsOf(e)) },
		Shape: func(_ Snap, e machine.Event) any { return reviewShape(factsOf(e)) },
		Suggest: func(_ Snap, e machine.Event) *machine.Suggestion {
			first, _, _ := strings.Cut(factsOf(e).Missing, ", ")
			if first == "" {
				return nil // A verdict that was given is not to be given again until it is right.
			}
			return &machine.Suggestion{Tool: "record_review",
				Params: map[string]any{"dimension": first, "verdict": "pass", "findings": "<findings>"}}
		}}
	reviewFailed = others("any-review-failed", `no review has the verdict "fail"`, "reviews.<dimension>.status", "fail",
		"record the verdict of a review", []machine.Role{machine.Supervisor}, func(f Facts) bool {
			return f.Failing != ""
		})
	reviewStuck = others("review-blocked", `no review has the verdict "blocked"`, "reviews.<dimension>.status",
		"blocked", "", nil, func(f Facts) bool {
			return f.Stuck != ""
		})
	reviewDecided = others("no-review-blocked", `a review has the verdict "blocked"`, "reviews.<dimension>.status",
		"pass or fail", "", nil, func(f Facts) bool {
			return f.Stuck == ""
		})

	testsPass = others("validation-passed", "the gate has not passed in this phase: validation.testsPass must be true",
		"validation.testsPass", true,
		"run the gate", byItself, func(f Facts) bool { return f.Tests == Green })
	testsFail = others("validation-failed", "the gate has not failed in this phase", "validation.testsPass", false,
		"run the gate", byItself,
		func(f Facts) bool { return f.Tests == Red })

	optedIn = guard{Name: "synthesis-opted-in",
		Expected: `oneshot.synthesisPolicy = always, or on-request after a synthesize.requested`,
		Fix:      "call request_synthesize", Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { return factsOf(e).optedIn() },
		Why:   func(_ Snap, e machine.Event) string { return policyReason(factsOf(e)) },
		Shape: func(Snap, machine.Event) any { return shape{"type": "synthesize.requested"} },
		Suggest: func(_ Snap, e machine.Event) *machine.Suggestion {
			if factsOf(e).Policy == Never {
				return nil // It would change nothing.
			}
			return &machine.Suggestion{Tool: "request_synthesize",
				Params: map[string]any{"reason": "<why it should be published>"}}
		}}
	optedOut = guard{Name: "synthesis-opted-out",
		Expected: `oneshot.synthesisPolicy = never, or on-request without a synthesize.requested`,
		Met:      func(_ Snap, e machine.Event) bool { return factsOf(e).optedOut() },
		Why:      func(_ Snap, e machine.Event) string { return policyReason(factsOf(e)) },
		Shape:    func(Snap, machine.Event) any { return nested("oneshot.synthesisPolicy", string(Never)) }}

	prExists = others("pr-url-exists", "neither git nor the forge has what was published: synthesis.prUrl or "+
		"artifacts.pr must be set", "synthesis.prUrl", "<url>",
		"publish it", byItself, func(f Facts) bool { return f.Published })
	mergeVerified = others("merge-verified", "neither git nor the forge shows the work merged into its base",
		"_cleanup.mergeVerified", true,
		"merge it, then: ferrus workflow cleanup", human, func(f Facts) bool { return f.Merged })

	compensated = guard{Name: "compensated", Expected: "every step of the cancellation is done or skipped",
		Fix: "take the remaining steps", Fixer: byItself,
		Met: func(_ Snap, e machine.Event) bool { return factsOf(e).Undone == "" },
		Why: func(_ Snap, e machine.Event) string {
			return "steps of the cancellation still to do: " + factsOf(e).Undone
		}}
	notes = guard{Name: "text-required", Reason: "the notes are empty", Expected: "a text that is not blank",
		Fix: "call it again with notes",
		Met: func(_ Snap, e machine.Event) bool { return saysSomething(e) }}
	wellPlanned = guard{Name: "tasks-ordered", Expected: "tasks with unique ids and with texts, which depend " +
		"only on tasks of the plan, without a cycle",
		Fix: "call plan_tasks again", Fixer: []machine.Role{machine.Supervisor},
		Met: func(_ Snap, e machine.Event) bool { return e.(PlanTasks).Fault == "" },
		Why: func(_ Snap, e machine.Event) string { return e.(PlanTasks).Fault }}
	wellReviewed = guard{Name: "review-recognized",
		Expected: `a required dimension, and the verdict pass, fail or blocked`, Fix: "call record_review again",
		Fixer: []machine.Role{machine.Supervisor},
		Met:   func(_ Snap, e machine.Event) bool { return e.(RecordReview).Fault == "" },
		Why:   func(_ Snap, e machine.Event) string { return e.(RecordReview).Fault }}
)

// Unrecorded is Facts.Living while no executor is known to run, but the end of the phase's executors is not recorded.
const Unrecorded = "the end of the phase's executors"

func livingReason(f Facts) string {
	if f.Living == Unrecorded {
		return Unrecorded + " is not recorded yet"
	}
	return f.Living + " is still running"
}

// NoTasks is the prefix of Facts.Tasks if the supervisor must plan tasks first.
const NoTasks = "no task is planned"

// saysSomething reports whether an event that needs notes has some.
func saysSomething(e machine.Event) bool {
	switch e := e.(type) {
	case Revise:
		return e.Text
	case Escalate:
		return e.Text
	}
	return true
}

// optedIn and optedOut decide whether work without a review is published. They are
// opposites: one of the two rows always applies.
func (f Facts) optedIn() bool  { return f.Policy == Always || f.Policy != Never && f.Requested }
func (f Facts) optedOut() bool { return f.Policy == Never || f.Policy != Always && !f.Requested }

// policyReason explains the decision of optedIn and optedOut.
func policyReason(f Facts) string {
	switch {
	case f.Policy == Always, f.Policy == Never:
		return fmt.Sprintf("oneshot.synthesisPolicy is %s, regardless of requests", f.Policy)
	case f.Requested:
		return "oneshot.synthesisPolicy is on-request, and publishing was requested"
	}
	return "oneshot.synthesisPolicy is on-request, and no synthesize.requested is in the journal"
}

// reviewReason lists the dimensions that keep a review from passing, by verdict.
func reviewReason(f Facts) string {
	var all []string
	for _, kind := range []struct{ word, names string }{{"missing", f.Missing}, {"failed", f.Failing},
		{"blocked", f.Stuck}} {
		if kind.names != "" {
			all = append(all, kind.word+": "+kind.names)
		}
	}
	return "reviews " + strings.Join(all, "; ")
}

// reviewShape returns the reviews that would satisfy the guard.
func reviewShape(f Facts) shape {
	all := shape{}
	for _, names := range []string{f.Missing, f.Failing, f.Stuck} {
		for name := range strings.SplitSeq(names, ", ") {
			if name != "" {
				all[name] = shape{"status": "pass"}
			}
		}
	}
	return shape{"reviews": all}
}

// under and over compare a counter with a limit. The code of under's refusal is
// CIRCUIT_OPEN: only the human can reset the counter.
func under(name, words string, limit int, count func(Data) int, code machine.Code) guard {
	return guard{Name: name, Expected: fmt.Sprintf("fewer than %d %s", limit, words),
		Fix: "decide in blocked how to continue", Fixer: human,
		Holds: func(s Snap) bool { return count(s.Data) < limit },
		Why: func(s Snap, _ machine.Event) string {
			return fmt.Sprintf("the limit of %d %s is reached", limit, words)
		},
		As: func(Snap, machine.Event) machine.Code { return code }}
}

func over(name, words string, limit int, count func(Data) int) guard {
	return guard{Name: name, Expected: fmt.Sprintf("%d %s", limit, words),
		Holds: func(s Snap) bool { return count(s.Data) >= limit },
		Why:   func(s Snap, _ machine.Event) string { return fmt.Sprintf("%d of %d %s", count(s.Data), limit, words) }}
}

// The counters that limits are about.
func cyclesOf(d Data) int    { return d.Cycles }
func revisionsOf(d Data) int { return d.Revisions }
func proofsOf(d Data) int    { return d.Proofs }

// circuitClosed and circuitOpen select the row before the limit of fix cycles, and the
// row at it.
func circuitClosed(limit int) guard {
	return under("circuit-closed", "fix cycles", limit, cyclesOf, machine.CircuitOpen)
}

func circuitOpen(limit int) guard { return over("circuit-open", "fix cycles", limit, cyclesOf) }

var (
	revisionsLeft   = under("revisions-left", "plan revisions", RevisionLimit, revisionsOf, machine.CircuitOpen)
	revisionsUsedUp = over("revisions-exhausted", "plan revisions", RevisionLimit, revisionsOf)
	proofsLeft      = under("proofs-left", "failed gates in a row", ProofLimit, proofsOf, machine.CircuitOpen)
	proofsUsedUp    = over("proofs-exhausted", "failed gates in a row", ProofLimit, proofsOf)
	publishLeft     = guard{Name: "another publication", Holds: func(s Snap) bool {
		return s.Data.Publishes+1 < PublishLimit
	}}
	publishLast = guard{Name: "the last publication", Holds: func(s Snap) bool {
		return s.Data.Publishes+1 >= PublishLimit
	}}
	retryable = guard{Name: "synthesize-retryable", Reason: "no publication has failed",
		Expected: "synthesis.lastError",
		Holds:    func(s Snap) bool { return s.Data.Publishes > 0 }}
)

// late reports an answer to a question that the human is no longer asked.
func late(s Snap, e machine.Event) bool {
	a, ok := e.(interface{ answers() uint64 })
	return ok && a.answers() != 0 && a.answers() != s.Data.Ticket
}

// lateWhy names the question that was answered, and the open one if there is any.
func lateWhy(s Snap, e machine.Event) string {
	n := e.(interface{ answers() uint64 }).answers()
	if s.Data.Ticket == 0 {
		return fmt.Sprintf("question %d is no longer open", n)
	}
	return fmt.Sprintf("question %d is no longer open; the open one is %d", n, s.Data.Ticket)
}
