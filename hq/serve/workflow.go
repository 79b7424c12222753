package serve

import (
	"fmt"
	"strings"

	"ferrus/hq/core"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
)

// toWorkflow returns the handler of a tool that is a command on the open workflow and
// nothing more.
func toWorkflow[A any](command func(*A) workflow.Command) handler {
	return func(c *toolCall) (*outcome, error) {
		b := workflow.Open(c.project)
		w, err := b.Find()
		if err != nil {
			return nil, noWorkflow(c, err)
		}
		command := command(c.value.(*A))
		command.By = c.by
		after, err := b.Do(c, w.ID, c.id, command)
		if err != nil {
			return nil, err
		}
		return position(b, after, core.StatusNoted)
	}
}

func showWorkflow(c *toolCall) (*outcome, error) {
	b := workflow.Open(c.project)
	w, err := b.Find()
	if err != nil {
		return nil, noWorkflow(c, err)
	}
	return position(b, w, core.StatusOpen)
}

// noWorkflow refuses a call while no workflow is open.
func noWorkflow(c *toolCall, err error) error {
	if !strings.HasPrefix(err.Error(), workflow.ErrNoneOpen.Error()) {
		return err
	}
	return &machine.Refusal{
		Code: machine.NoSuchTransition, Machine: "workflow", Event: machine.Kind(c.tool.name), By: c.by.Role,
		Failed: []machine.Failed{{Guard: "workflow-open", Reason: "no workflow is open",
			Expected: "a workflow that the human started",
			Fix:      "the human must act: ferrus workflow start <type> <title>"}},
	}
}

// workflowResult is what the workflow's tools answer.
type workflowResult struct {
	*core.Result
	Workflow string          `json:"workflow"`
	Type     flow.Type       `json:"workflowType"`
	Title    string          `json:"title"`
	Request  string          `json:"request,omitempty"`
	Phase    machine.State   `json:"phase"`
	Takes    []flow.Evidence `json:"takes,omitempty"` // what workflow_set records now
	Ways     []flow.Way      `json:"ways"`
	Required []string        `json:"requiredReviews"`
	Notes    string          `json:"notes,omitempty"` // what this phase has to know
	workflow.Recorded
	Tasks []workflow.Task `json:"tasks,omitempty"`
}

// position returns where a workflow is, for the session that carries it out.
func position(b *workflow.Store, w workflow.Workflow, status core.Status) (*outcome, error) {
	living, err := b.Executor()
	if err != nil {
		return nil, err
	}
	full := workflowResult{
		Result:   &core.Result{Status: status, State: w.Phase, Seq: w.Seq},
		Workflow: w.ID, Type: w.Type, Title: w.Title, Request: w.Request, Phase: w.Phase,
		Takes:    w.Flow().Phase(w.Phase).Takes,
		Ways:     w.Flow().Ways(w.Snap(), machine.Supervisor, w.Facts(workflow.Observed{Living: living})),
		Required: w.Required, Notes: w.Notes, Recorded: w.Recorded, Tasks: w.Tasks,
	}
	if full.Ways == nil {
		full.Ways = []flow.Way{}
	}
	full.Next = nextInWorkflow(w, full.Ways)
	return &outcome{base: full.Result, full: &full}, nil
}

// nextInWorkflow says what the session does now: what is missing first, or its end.
func nextInWorkflow(w workflow.Workflow, ways []flow.Way) string {
	switch run := w.Flow().Phase(w.Phase).Run; run {
	case flow.RunHuman:
		return "end your session: the human decides"
	case flow.RunGate, flow.RunPublish, "":
		return "end your session: ferrus continues"
	}
	for _, way := range ways {
		if len(way.Failed) == 0 {
			return fmt.Sprintf("workflow_set with phase %s, or end your session: ferrus continues", way.To)
		}
	}
	for _, way := range ways {
		for _, f := range way.Failed {
			if f.Suggested != nil {
				return "call " + f.Suggested.Tool + ": " + f.Reason
			}
		}
	}
	return "end your session: ferrus continues"
}
