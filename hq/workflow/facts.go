package workflow

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/machine/flow"
)

// Observed is what a document cannot say of itself.
type Observed struct {
	Living    string // the executor that is still running
	Published bool   // git or the forge has what was published
	Merged    bool   // git or the forge has it in the base
	Why       string // why not, or by what it is known
}

// Facts returns what guards look at.
func (d *Document) Facts(s Observed) flow.Facts {
	f := flow.Facts{
		Recorded: flow.Recorded{
			Design: d.has("design"), Plan: d.has("plan"), RCA: d.has("rca"), FixDesign: d.has("fixDesign"),
			Triage:   d.Triage != nil && strings.TrimSpace(d.Triage.Failure) != "",
			Scope:    d.Explore != nil && strings.TrimSpace(d.Explore.ScopeAssessment) != "",
			Docs:     d.Validation != nil && d.Validation.DocsUpdated,
			Finished: d.Implementation != nil && d.Implementation.Complete,
		},
		Decided: flow.Decided{
			Approved: d.PlanReview != nil && d.PlanReview.Approved, Gaps: d.PlanReview != nil && d.PlanReview.GapsFound,
			Track: d.Track, Policy: d.policy(), Requested: d.Oneshot != nil && d.Oneshot.Requests > 0,
		},
		Observed: flow.Observed{
			Tasks: d.openTasks(), Failed: d.failedTask(), Living: s.Living, Tests: d.tests(),
			Published: s.Published, Merged: s.Merged, Undone: d.pendingSteps(),
		},
	}
	if d.Team != nil && d.Team.Spawned && !d.Team.Disbanded && f.Living == "" {
		f.Living = flow.Unrecorded
	}
	f.Missing, f.Failing, f.Stuck = d.reviews()
	return f
}

// SentBack returns how often you sent the plan back since it was last approved. The machine counts it when the
// supervisor has the plan again.
func (d *Document) SentBack() int {
	n := d.Counters.Revisions
	if d.PlanReview != nil && d.PlanReview.GapsFound && d.Flow().Phase(d.Phase).Run == flow.RunHuman &&
		d.Phase != flow.Blocked {
		n++
	}
	return n
}

// has reports whether an artifact says something.
func (d *Document) has(name string) bool { return strings.TrimSpace(d.Artifacts[name]) != "" }

// policy returns the synthesis policy. A bug's fix is published unless it was started
// with another policy.
func (d *Document) policy() flow.Policy {
	if d.Oneshot == nil {
		return flow.OnRequest
	}
	return d.Oneshot.SynthesisPolicy
}

func (d *Document) tests() flow.Outcome {
	switch {
	case d.Validation == nil || d.Validation.TestsPass == nil:
		return ""
	case *d.Validation.TestsPass:
		return flow.Green
	}
	return flow.Red
}

// openTasks says which tasks are not complete. Each round of rework needs its own.
func (d *Document) openTasks() string {
	var open []string
	planned := false
	for _, t := range d.Tasks {
		planned = planned || t.Round == d.Round
		if t.Status != Done {
			open = append(open, t.ID)
		}
	}
	switch {
	case len(d.Tasks) == 0:
		return flow.NoTasks
	case !planned && len(open) == 0:
		return fmt.Sprintf("%s for round %d of rework", flow.NoTasks, d.Round)
	case len(open) > 0:
		return "not complete: " + strings.Join(open, ", ")
	}
	return ""
}

func (d *Document) failedTask() string {
	for _, t := range d.Tasks {
		if t.Status == Failed {
			return t.ID
		}
	}
	return ""
}

// reviews sorts the dimensions: without a verdict, failed, blocked.
func (d *Document) reviews() (missing, failing, stuck string) {
	var none, bad, blocked []string
	for _, name := range d.Required {
		switch d.Reviews[name].Status {
		case ReviewPass:
		case ReviewFail:
			bad = append(bad, name)
		case ReviewBlocked:
			blocked = append(blocked, name)
		default:
			none = append(none, name)
		}
	}
	return strings.Join(none, ", "), strings.Join(bad, ", "), strings.Join(blocked, ", ")
}

// pendingSteps returns the steps of a cancellation that are not over.
func (d *Document) pendingSteps() string {
	if d.Cancelling == nil {
		return "nothing is compensated yet"
	}
	var open []string
	for _, s := range d.Compensation {
		if s.Status != StepExecuted && s.Status != StepSkipped {
			open = append(open, s.ID)
		}
	}
	return strings.Join(open, ", ")
}

// judged reports whether reviewing has ended: every dimension has a verdict, or
// one is blocked. Until then a missing verdict may still come.
func (d *Document) judged() bool {
	missing, _, stuck := d.reviews()
	return missing == "" || stuck != ""
}

// ready returns the first task that may begin.
func (d *Document) ready() *Task {
	for i := range d.Tasks {
		t := &d.Tasks[i]
		waits := slices.ContainsFunc(t.After, func(id string) bool {
			before := d.task(id)
			return before == nil || before.Status != Done
		})
		if t.Status == Pending && !waits {
			return t
		}
	}
	return nil
}
