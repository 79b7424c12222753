package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// planned is a task of a workflow's plan, as workflow_status returns it.
type planned struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// notesFile is the file that a workflow's first review finds missing.
const notesFile = "NOTES.md"

// The plans that the supervisor writes. The human sends the first one back.
const (
	firstPlan  = "One task: a Retry that is itself a Sender, between Client and the service."
	secondPlan = firstPlan + "\n\nIt is tested with a service that answers 503 twice, and go vet and go test pass."
)

// phase does the work of the workflow's present phase. Like every script it remembers
// nothing: tools return what was recorded.
func (p *demoAgent) phase(ctx context.Context) error {
	now, err := p.call(ctx, "workflow_status", nil)
	if err != nil || now.refused {
		return err
	}
	p.say("the phase is " + now.Phase)
	if err := p.step(ctx); err != nil {
		return err
	}
	if part := p.phases()[now.Phase]; part != nil {
		return part(ctx, now)
	}
	p.say("this phase has no work for a supervisor")
	return nil
}

func (p *demoAgent) phases() map[string]func(context.Context, answer) error {
	artifact := func(name, text string) func(context.Context, answer) error {
		return func(ctx context.Context, _ answer) error {
			return p.set(ctx, map[string]any{"artifacts": map[string]any{name: text}})
		}
	}
	value := func(group string, values map[string]any) func(context.Context, answer) error {
		return func(ctx context.Context, _ answer) error { return p.set(ctx, map[string]any{group: values}) }
	}
	return map[string]func(context.Context, answer) error{
		"ideate": artifact("design",
			"A Sender that wraps another and tries again while the service answers 502, 503 or 504."),
		"plan": p.planWork, "overhaul-plan": p.planWork,
		"triage": value("triage", map[string]any{
			"symptom":      "while the service is deployed, its 503 reaches our users",
			"reproduction": "answer 503 once in a test",
		}),
		"investigate": p.investigate,
		"rca":         artifact("rca", "Client sends once: every answer that says `try again` is final."),
		"design": artifact("fixDesign",
			"Try again, with a bound and a pause that doubles; a test counts the requests."),
		"explore": value("explore", map[string]any{
			"scopeAssessment": "one module, two files, all callers go through Sender",
		}),
		"brief":    p.brief,
		"delegate": p.delegate, "overhaul-delegate": p.delegate,
		"debug-implement": p.delegate, "hotfix-implement": p.delegate,
		"review": p.recordReviews, "overhaul-review": p.recordReviews, "debug-review": p.recordReviews,
		"implementing": p.edit, "polish-implement": p.edit,
		"polish-update-docs": p.document, "overhaul-update-docs": p.document,
	}
}

// use calls a tool, and fails if it is refused.
func (p *demoAgent) use(ctx context.Context, tool string, arguments map[string]any) error {
	a, err := p.call(ctx, tool, arguments)
	if err == nil && a.refused {
		err = fmt.Errorf("demo agent: %s", a.text)
	}
	return err
}

func (p *demoAgent) set(ctx context.Context, updates map[string]any) error {
	return p.use(ctx, "workflow_set", map[string]any{"updates": updates})
}

// planWork writes the plan, or a better one if the human sent the first one back.
func (p *demoAgent) planWork(ctx context.Context, now answer) error {
	plan := firstPlan
	if now.Notes != "" {
		p.quote("you said", now.Notes)
		plan = secondPlan
	}
	if wants(now, "publish") && now.Type == "oneshot" {
		if err := p.use(ctx, "request_synthesize", map[string]any{"reason": "the request says so"}); err != nil {
			return err
		}
	}
	p.quote("plans", plan)
	return p.set(ctx, map[string]any{"artifacts": map[string]any{"plan": plan}})
}

// wants reports whether the human's request contains a word.
func wants(now answer, word string) bool { return strings.Contains(strings.ToLower(now.Request), word) }

func (p *demoAgent) investigate(ctx context.Context, now answer) error {
	found := map[string]any{"rootCause": "nothing tries again"}
	return p.chooseTrack(ctx, now, map[string]any{"investigation": found}, "hotfix", "thorough")
}

func (p *demoAgent) brief(ctx context.Context, now answer) error {
	brief := map[string]any{"brief": "Retry becomes a Sender; what callers see stays."}
	return p.chooseTrack(ctx, now, map[string]any{"artifacts": brief}, "polish", "overhaul")
}

// chooseTrack records what was found, and selects the short track if the request names it.
func (p *demoAgent) chooseTrack(ctx context.Context, now answer, found map[string]any, short, long string) error {
	if err := p.set(ctx, found); err != nil {
		return err
	}
	if wants(now, short) {
		long = short
	}
	return p.use(ctx, "select_track", map[string]any{"track": long})
}

// delegate plans the task, or in a round of rework a task for what the review found.
func (p *demoAgent) delegate(ctx context.Context, now answer) error {
	task := map[string]any{"id": "retry", "text": Text}
	if len(now.Tasks) > 0 {
		p.quote("the review found", now.Notes)
		text := "# Write the decision down\n\nSay in " + notesFile + " which requests are tried again, and why."
		task = map[string]any{"id": fmt.Sprintf("notes-%d", len(now.Tasks)), "text": text}
	}
	return p.use(ctx, "plan_tasks", map[string]any{"tasks": []any{task}})
}

// recordReviews records a verdict for each dimension. In the first review something is
// missing.
func (p *demoAgent) recordReviews(ctx context.Context, now answer) error {
	for _, dimension := range now.Required {
		verdict := map[string]any{"dimension": dimension, "verdict": "pass",
			"findings": "meets the request, and is tested"}
		if _, err := os.Stat(filepath.Join(p.Dir, notesFile)); err != nil && dimension == "quality-review" {
			const missing = notesFile + " is missing: it is written nowhere why a POST is not tried again"
			verdict["verdict"], verdict["findings"] = "fail", missing
		}
		p.say(fmt.Sprintf("%s: %s", dimension, verdict["verdict"]))
		if err := p.step(ctx); err != nil {
			return err
		}
		if err := p.use(ctx, "record_review", verdict); err != nil {
			return err
		}
	}
	return nil
}

// edit does the work itself: the first version is off by one, and the gate finds it.
func (p *demoAgent) edit(ctx context.Context, now answer) error {
	code := broken
	if now.Notes != "" || fixed.in(p.Dir) {
		p.quote("the gate found", now.Notes)
		code = fixed
	}
	if err := p.write(ctx, code); err != nil {
		return err
	}
	return p.set(ctx, map[string]any{"implementation": map[string]any{"complete": true}})
}

func (p *demoAgent) document(ctx context.Context, _ answer) error {
	if err := p.write(ctx, noted); err != nil {
		return err
	}
	return p.set(ctx, map[string]any{"validation": map[string]any{"docsUpdated": true}})
}
