package projection

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/ui"
)

// TestWorkflow compares the page of every phase of every type of workflow, over the task loop in
// the matching state. The types differ in words only, so only one of them is compared in every
// size.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	for _, kind := range flow.Types {
		for _, phase := range flow.Of(kind).Phases {
			t.Run(string(kind)+"/"+string(phase.ID), func(t *testing.T) {
				t.Parallel()
				pageOf(t, working(kind, phase))
			})
		}
	}
	t.Run("cancelling", func(t *testing.T) {
		t.Parallel()
		w := working(flow.Feature, flow.Of(flow.Feature).Phase("synthesize"))
		w.Cancelling = &workflow.Reason{Text: "not needed", By: "person"}
		pageOf(t, w)
	})
}

// pageOf holds what HQ shows of a workflow: its page, and what the human is asked
// on the line above the prompt.
func pageOf(t *testing.T, w workflow.Workflow) {
	t.Helper()
	scene := "idle"
	if w.Flow().Phase(w.Phase).Run == flow.RunTasks {
		scene = "executing"
	}
	page := workflow.Open(&project.Task{Project: &project.Project{Dir: t.TempDir()}}).Describe(w,
		workflow.PlanNext(&w.Document, workflow.TaskLoop{World: state(t, scene).World}))
	in := sizes
	if w.Type != flow.Feature {
		in = sizes[1:2]
	}
	framesIn(t, in, func(width, h int, light bool) *ui.Model {
		v := fixture(t, scene)
		v.Workflow = &w
		m := opened(projected(v), width, h, light)
		m.Update(ui.PageMsg{Title: "workflow " + string(w.Type), Text: page})
		return m
	}, under(t, scene))
}

// working returns a workflow that has come to a phase.
func working(kind flow.Type, phase flow.Phase) workflow.Workflow {
	w := workflow.Workflow{Document: workflow.Document{
		ID: "w-20261120-134500-4f2a", Type: kind, Title: "Retries everywhere", Phase: phase.ID,
		Since: fixtureNow.Add(-9 * time.Minute), CreatedAt: fixtureNow.Add(-31 * time.Minute), Visit: 4,
		Required: []string{"security", "quality"},
	}}
	w.Artifacts = map[string]string{"design": "docs/design.md",
		"plan": "# Plan\n\n1. the fetcher tries again\n2. the page says how often\n"}
	w.Reviews = map[string]workflow.Review{"security": {Status: "pass", By: "supervisor:claude-code:1"}}
	w.Tasks = []workflow.Task{
		{ID: "t1", Title: "Add retry to the fetcher", Status: workflow.Done},
		{ID: "t2", Title: "Show the retries", Status: workflow.Pending, After: []string{"t1"}},
	}
	if phase.Run == flow.RunTasks {
		w.Tasks[0].Status, w.Current = workflow.InProgress, "t1"
	}
	switch phase.ID {
	case flow.Completed:
		w.Synthesis = &workflow.Synthesis{PRURL: "https://forge.example/acme/api/pulls/7"}
	case flow.Blocked:
		w.Counters.From, w.Blocked = "review", &workflow.Reason{Text: "three rounds of fixes were sent back",
			By: "ferrus", From: "review"}
		w.Notes = "security: a token is logged\n"
	}
	return w
}

// The header has the phase, beside the task's state where one is open, and phase changes stand among the entries of
// the task's journal, by their times.
func TestAWorkflowIsShownAsATaskIs(t *testing.T) {
	t.Parallel()
	w := working(flow.Feature, flow.Of(flow.Feature).Phase("review"))
	for scene, want := range map[string][2]string{
		"idle": {"review", "feature"}, "executing": {"Executing", "feature: review"},
	} {
		v := fixture(t, scene)
		v.Workflow = &w
		last := v.Journal[len(v.Journal)-1].At
		v.WorkflowJournal = []store.Entry{{Seq: 1, At: last.Add(-time.Hour), From: "plan", To: "plan-review"},
			{Seq: 2, At: last, Event: "state.patched", From: "review", To: "review"},
			{Seq: 3, At: last, From: "delegate", To: "review", By: "ferrus"}}
		got := projected(v)
		if got.Status.State.Text != want[0] || got.Status.Rounds != want[1] {
			t.Errorf("%s: the header has %+v", scene, got.Status)
		}
		all := got.Activity
		if first, end := all[0], all[len(all)-1]; first.To.Text != "plan-review" || end.From.Text != "delegate" ||
			len(all) < 3 || end.Event != "feature" {
			t.Errorf("%s: the activity is %+v", scene, all)
		}
	}
}

// A workflow whose tasks change your checkout keeps your own task out; one in a worktree does not.
func TestAWorkflowKeepsTasksOut(t *testing.T) {
	t.Parallel()
	w := working(flow.Feature, flow.Of(flow.Feature).Phase("plan-review"))
	v := fixture(t, "idle")
	v.Workflow = &w
	if Project(v, fixtureNow).Disabled["task"] == "" {
		t.Error("a task can be started beside a workflow in the checkout")
	}
	w.Base.Dir = "worktrees/w"
	if why := Project(v, fixtureNow).Disabled["task"]; why != "" {
		t.Errorf("beside a workflow in a worktree: %s", why)
	}
}

// The result of a workflow that has ended can land, although no task is approved.
func TestTheResultOfAWorkflowLands(t *testing.T) {
	t.Parallel()
	for _, scene := range []string{"idle", "executing"} {
		v := fixture(t, scene)
		v.Result = true
		p := Project(v, fixtureNow)
		if off := p.Disabled["land"]; (off == "") != (scene == "idle") {
			t.Errorf("%s: /land is not available because %q", scene, off)
		}
		if strings.Contains(p.Hint, "/land lands its result") != (scene == "idle") {
			t.Errorf("%s: the hint is %q", scene, p.Hint)
		}
	}
	v := fixture(t, "complete")
	v.State.World.Task.Origin = &core.Origin{}
	if got := Project(v, fixtureNow).Hint; got != "The workflow has ended: /task starts the next one" {
		t.Errorf("its result has landed, and the hint is %q", got)
	}
	if got := advice.Next(v.State.World, project.HumanActor()); got != "create a task" {
		t.Errorf("its result has landed, and the advice is to %s", got)
	}
}
