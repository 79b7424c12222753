package workflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ferrus/machine"
	"ferrus/machine/flow"
)

// standing returns a workflow in the given phase.
func standing(kind flow.Type, at machine.State) Workflow {
	return Workflow{Document: Document{
		ID: "w-20261120-101500-4f2a", Type: kind, Title: "Retry", Phase: at,
		Since:    time.Date(2026, 11, 20, 10, 15, 0, 0, time.Local),
		Required: Dimensions,
	}}
}

func TestDiagram(t *testing.T) {
	w := standing(flow.Feature, "plan-review")
	want := `    ideate                 supervisor -> plan
    plan                   supervisor -> plan-review
  > plan-review            you        -> delegate, plan
      -> delegate  missing: plan-review-complete
      -> plan  missing: plan-review-gaps-found
      -> blocked  missing: plan-review-gaps-found, revisions-exhausted
  implementation
      delegate             executor   -> review
      review               supervisor -> synthesize, delegate
    synthesize             ferrus     -> completed, delegate
    blocked                you        -> plan
    completed
    cancelled
`
	if got := w.Diagram(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	w.Phase, w.Counters.Cycles = "review", 2
	if got := w.Diagram(); !strings.Contains(got, "  implementation  fix cycle 2 of 3\n") ||
		!strings.Contains(got, "    > review ") {
		t.Errorf("got\n%s\nwant fix cycle 2 of 3 in implementation, and review as the current phase", got)
	}
}

// In every phase of every type the description says who does the work and what the human can type.
func TestStoryOfEveryPhase(t *testing.T) {
	for _, kind := range flow.Types {
		for _, p := range flow.Of(kind).Phases {
			w := standing(kind, p.ID)
			w.Blocked, w.Counters.From = &Reason{Text: "stuck"}, flow.Of(kind).Phases[0].ID
			text := w.describe(PlanNext(&w.Document, TaskLoop{}), "")
			if strings.Count(text, "> "+string(p.ID)+" ")+strings.Count(text, "> "+string(p.ID)+"\n") < 1 ||
				strings.Contains(text, "%!") {
				t.Errorf("%s %s: the current phase is not marked, or a verb is wrong:\n%s", kind, p.ID, text)
			}
			if asks := w.Asks() != ""; asks != strings.Contains(text, "**You**") {
				t.Errorf("%s %s: needs you is %v, but the description disagrees:\n%s", kind, p.ID, asks, text)
			}
			if open := strings.Contains(text, "`/workflow cancel [reason]`"); open == w.IsFinal() {
				t.Errorf("%s %s: offers to cancel %v, want %v", kind, p.ID, open, !w.IsFinal())
			}
		}
	}
}

func TestStoryShowsThePlan(t *testing.T) {
	b := newStore(t)
	w := standing(flow.Feature, "plan-review")
	w.Artifacts = map[string]string{"plan": "# The plan\n\nin words"}
	if text := b.Describe(w, PlanNext(&w.Document, TaskLoop{})); !strings.Contains(text, "# The plan\n\nin words") ||
		!strings.Contains(text, "`/workflow approve [note]`\n- `/workflow revise <notes>`") {
		t.Errorf("the description lacks the plan or the commands:\n%s", text)
	}
	write(t, filepath.Join(b.Project.Dir, "plan.md"), "from a file")
	w.Artifacts["plan"] = "plan.md"
	if text := b.Describe(w, Next{}); !strings.Contains(text, "plan.md\n\nfrom a file") {
		t.Errorf("the description lacks the plan from the file:\n%s", text)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(b.Project.Dir, "out.md")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"out.md", "../plan.md", "/etc/passwd", "hq", "."} {
		w.Artifacts["plan"] = name
		if text := b.Describe(w, Next{}); !strings.HasSuffix(text, "---\n\n"+name+"\n") {
			t.Errorf("the description does not end with %[1]s:\n%[2]s", name, text)
		}
	}
}

// The id and the title of a planned task are one line each, whatever an agent gives, and what is published
// has no control characters.
func TestHostilePlan(t *testing.T) {
	t.Parallel()
	hostile := Task{ID: "1", Title: "Close\x00 it\x1b[2J\nSigned-off-by: you", Text: "at the end"}
	if got := hostile.heading(); got != "Close it" {
		t.Errorf("the title is %q, want Close it", got)
	}
	if fault := taskFault(nil, []Task{hostile}); fault != "" {
		t.Errorf("the task is refused: %s", fault)
	}
	for _, wrong := range []Task{{ID: "1\n", Text: "x"}, {ID: "\u202e1", Text: "x"}, {ID: "1", Text: "\u200b"}} {
		if taskFault(nil, []Task{wrong}) == "" {
			t.Errorf("the task %+q with the text %+q is accepted, want a refusal", wrong.ID, wrong.Text)
		}
	}
	d := Document{Title: "Close", Request: "now\x00\u202e", Work: Work{Tasks: []Task{hostile}}}
	if got := d.Summary(); strings.ContainsAny(got, "\x00\x1b\u202e") {
		t.Errorf("the summary is %q, want no control characters", got)
	}
}
