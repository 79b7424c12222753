package cli

import (
	"strings"
	"testing"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/workflow"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// A run whose workflow is being cancelled waits for the cancellation and ends with it; only a
// failed cancellation waits for you.
func TestRunEndsWithACancelledWorkflow(t *testing.T) {
	w := &workflow.Workflow{Document: workflow.Document{Type: flow.Feature, Phase: "ideate"}}
	w.Cancelling = &workflow.Reason{Text: "not now"}
	w.Compensation = []workflow.Step{{ID: "sessions"}}
	h := &headless{runPrinter: runPrinter{streams: &streams{}}}
	if over, err := h.workflowOver(conductor.View{Workflow: w}); over || err != nil {
		t.Errorf("during the cancellation: %v, %v", over, err)
	}
	w.Compensation[0].Status = workflow.StepFailed
	if over, _ := h.workflowOver(conductor.View{Workflow: w}); !over {
		t.Error("the run waits for a cancellation that failed")
	}
	w.Phase = flow.Cancelled
	if over, err := h.workflowOver(conductor.View{Workflow: w}); !over || err.Error() != "the workflow was cancelled" {
		t.Errorf("after it: %v, %v", over, err)
	}
}

// A run that was interrupted says that a task is on hold only if there is one.
func TestWhatAnInterruptedRunLeaves(t *testing.T) {
	pr := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": ""})
	if onHold(pr) {
		t.Error("a project without a task has one on hold")
	}
	hqtest.Do(t, pr, core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: "do it"})
	hqtest.Do(t, pr, core.Command{Kind: core.KindHold, By: project.HumanActor(), Text: core.HoldQuit})
	if !onHold(pr) {
		t.Error("a task on hold is none")
	}
}

// A run that a disk ends says how it continues.
func TestARunThatTheDiskEnds(t *testing.T) {
	h := &headless{runPrinter: runPrinter{streams: &streams{}}}
	over, err := h.finished(conductor.View{StateError: "nothing can be written: no space left on device"})
	if f := toExitError(err); !over || len(f.hints) != 1 || !strings.Contains(f.hints[0], "continue with: ferrus run") {
		t.Errorf("over %v, %+v; want a hint", over, f)
	}
}

// Landed work whose worktree is not yet removed is not over: a run that was killed meanwhile
// continues with it.
func TestARunClearsAwayWhatHasLanded(t *testing.T) {
	item := queue.Item{N: 1, Dir: "t-1-a", State: "Landed"}
	row := queue.Row{Item: item, Moves: true}
	h := &headless{runPrinter: runPrinter{streams: &streams{}}}
	if rows := []queue.Row{row}; !apart(rows) || allOver(rows) || !h.continues(row) {
		t.Errorf("before: apart %v, over %v, continues %v", apart(rows), allOver(rows), h.continues(row))
	}
}

// A session that asks for a host or a permission does not end a run: it continues without the host, or
// waits in its call.
func TestARunContinuesWhileASessionAsks(t *testing.T) {
	h := &headless{}
	row := queue.Row{Item: queue.Item{N: 1, State: "Running"}, Task: task.Executing, Asks: true}
	if !h.continues(row) {
		t.Error("it ends")
	}
	if row.Needs = true; h.continues(row) {
		t.Error("a task that waits for you does not end it")
	}
}

// A session of a workflow that ends before the view shows the workflow ends no run.
func TestARunWaitsForTheViewOfItsWorkflow(t *testing.T) {
	pr := hqtest.NewProject(t, hqtest.Files{"ferrus.toml": "[checks]\ncommands = [\"true\"]\n"})
	h := &headless{project: pr, planned: time.Now().Add(-time.Minute)}
	ended := project.SessionRecord{Slot: core.SlotPlanner, Session: "s", Status: project.Suspended,
		StartedAt: time.Now()}
	if err := pr.SaveRegistry(project.Registry{Agents: []project.SessionRecord{ended}}); err != nil {
		t.Fatal(err)
	}
	if over, _ := h.planningEnded(); !over {
		t.Fatal("without a workflow, the run waits")
	}
	if _, err := workflow.Open(pr).Start(t.Context(), project.HumanActor(),
		workflow.Request{Type: flow.Oneshot, Title: "Work"}); err != nil {
		t.Fatal(err)
	}
	if over, err := h.planningEnded(); over || err != nil {
		t.Errorf("over %v, %v", over, err)
	}
}

// An agent that is not installed here is no reason to refuse a run that workers can take part in.
func TestAgentsOfWorkersNeedNotBeHere(t *testing.T) {
	t.Parallel()
	c := config.Config{Agent: map[string]config.Custom{"away": {Command: []string{"no-such-program"}}}}
	c.HQ.Supervisor.Agent, c.HQ.Executor.Agent = "away", "away"
	if err := requireAgents(c, false); err == nil {
		t.Error("an agent that is installed nowhere is accepted")
	}
	c.Workers.NATS = "nats://127.0.0.1"
	if err := requireAgents(c, false); err != nil {
		t.Error(err)
	}
}
