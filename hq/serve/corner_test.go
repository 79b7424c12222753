package serve_test

import (
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// openWorkflow starts a workflow as the human does.
func (p *fixture) openWorkflow(kind flow.Type) (*workflow.Store, workflow.Workflow) {
	p.t.Helper()
	b := workflow.Open(p.Task)
	w, err := b.Start(p.t.Context(), project.HumanActor(), workflow.Request{Type: kind, Title: "Add retry"})
	if err != nil {
		p.t.Fatal(err)
	}
	return b, w
}

// Wrong arguments of a workflow's tool are refused by the workflow's machine, in its phase
// and with its next step; without a workflow, no next step is named.
func TestWorkflowRefusesWrongArguments(t *testing.T) {
	p := newFixture(t, once)
	a := p.agent(machine.Supervisor, core.ModePhase)
	if got := a.use("workflow_status", nil); got.Next != core.EndSession {
		t.Errorf("without a workflow next is %q", got.Next)
	}
	p.openWorkflow(flow.Feature)
	for _, updates := range []args{{"nonsense": 1}, {"artifacts": "a design"}} {
		got := a.use("workflow_set", args{"updates": updates})
		if !got.Refused || got.Machine != "feature" || got.State != "ideate" || got.guards() != "arguments" ||
			got.Next != "call workflow_set with updates.artifacts.design" {
			t.Errorf("%v is answered by %s", updates, got.JSON)
		}
	}
}

// A supervisor that was started by hand creates no task between those of a workflow.
func TestNoOtherTaskInAWorkflow(t *testing.T) {
	p := newFixture(t, once)
	b, w := p.openWorkflow(flow.Debug)
	a := p.agent(machine.Supervisor, core.ModeFree)
	for _, c := range []workflow.Command{
		{Kind: "set", Updates: &workflow.Updates{Triage: &workflow.Triage{Failure: "it hangs"}}, To: "investigate"},
		{Kind: flow.KindSelectTrack, Track: flow.Hotfix}, {Kind: "set", To: "hotfix-implement"},
	} {
		c.By = project.HumanActor()
		if _, err := b.Do(t.Context(), w.ID, store.Call{}, c); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.use("create_task", args{"description": "mine"}); !got.Refused || got.guards() != "no-workflow" {
		t.Errorf("got %s, want a refusal by no-workflow", got.JSON)
	}
	if p.world().Task != nil {
		t.Error("a task was created beside the workflow's")
	}
}

// A text that does not exist yet is read as an empty text, not as a missing one.
func TestEmptyResourceHasAText(t *testing.T) {
	p := newFixture(t, once)
	w := p.wire(machine.Executor, core.ModeWork)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.read()
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"ferrus://review"}}`)
	result, _ := w.read()["result"].(map[string]any)
	contents, _ := result["contents"].([]any)
	if len(contents) != 1 {
		t.Fatalf("%d contents, want one: %+v", len(contents), result)
	}
	if text, is := contents[0].(map[string]any)["text"]; !is || text != "" {
		t.Errorf("the content is %v, want an empty text", contents[0])
	}
}
