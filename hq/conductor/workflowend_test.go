package conductor

import (
	"strings"
	"testing"

	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// The end of a workflow says where its result is.
func TestEndOfAWorkflow(t *testing.T) {
	t.Parallel()
	published := workflow.Document{}
	published.Artifacts = map[string]string{"pr": "https://forge.example/7"}
	published.Synthesis = &workflow.Synthesis{PRURL: "https://forge.example/7"}
	for want, d := range map[string]workflow.Document{
		"; its changes are in your checkout, not committed": {},
		"; /land lands it on its branch":                    {Base: workflow.Base{Dir: "worktrees/w"}},
		"; published as https://forge.example/7":            published,
	} {
		d.Type, d.Phase, d.Title = flow.Oneshot, flow.Completed, "x"
		if got := endOf(&workflow.Workflow{Document: d}); !strings.HasSuffix(got, "completed: x"+want) {
			t.Errorf("%q, want %q at its end", got, want)
		}
	}
}

// /resume says what of a workflow continues, or what it waits for.
func TestResumeInAWorkflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		phase   machine.State
		resumed bool
		want    string
	}{
		{"plan-review", true, "the hold is cleared: the plan waits for your approval"},
		{"plan-review", false, "there is nothing to resume: the plan waits for your approval"},
		{"plan", true, "the hold is cleared: the workflow is in plan"},
	} {
		v := View{Workflow: &workflow.Workflow{}}
		v.Workflow.Type, v.Workflow.Phase, v.State.World.State = flow.Feature, c.phase, task.Idle
		if got := resumedWords(&v, c.resumed); got != c.want {
			t.Errorf("in %s: %q, want %q", c.phase, got, c.want)
		}
	}
}
