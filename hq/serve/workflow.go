package serve

import (
	"errors"
	"strings"

	"ferrus/hq/advice"
	"ferrus/hq/core"
	"ferrus/hq/queue"
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
		Code: machine.NoSuchTransition, Machine: workflowMachine, Event: machine.Kind(c.tool.name), By: c.by.Role,
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
	living, err := b.Executor(&w.Document)
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
	full.Next = nextInPhase(w, living)
	return &outcome{base: full.Result, full: &full}, nil
}

// nextInPhase returns what the session of the present phase does now.
func nextInPhase(w workflow.Workflow, living string) string {
	return advice.NextInPhase(w.Flow(), w.Snap(), w.Facts(workflow.Observed{Living: living}))
}

// placeInWorkflow completes a refusal with where the open workflow stands; false: there is
// none.
func (c *conn) placeInWorkflow(r *refusal) bool {
	b := workflow.Open(c.project)
	w, err := b.Find()
	if err != nil {
		return false
	}
	living, err := b.Executor(&w.Document)
	if err != nil {
		return false
	}
	r.Seq, r.Next = w.Seq, nextInPhase(w, living)
	if r.Machine == workflowMachine {
		filled := *r.Refusal
		filled.Machine, filled.State, filled.Options = string(w.Type), w.Phase, w.Flow().Table.Options(w.Snap())
		r.Refusal = &filled
	}
	return true
}

// createTask creates the task, or queues it where each has a worktree of its own, unless a
// workflow takes its tasks through the loop: one of a session that was started by hand would come
// between them.
func createTask(c *toolCall) (*outcome, error) {
	w, err := workflow.Open(c.project).Find()
	if err == nil && !c.by.Managed && w.Flow().Phase(w.Phase).Run == flow.RunTasks {
		return nil, &machine.Refusal{
			Code: machine.GuardFailed, Machine: "task", Event: core.KindCreateTask, By: c.by.Role,
			Failed: []machine.Failed{{Guard: "no-workflow", Reason: "workflow " + w.ID + " controls the task loop",
				Expected: "no workflow in a phase that runs tasks",
				Fix:      "leave the task loop to it, or the human must act: ferrus workflow cancel"}},
		}
	}
	if errors.Is(err, workflow.ErrNoneOpen) {
		r, queued, err := queue.Create(c, c.project, c.id, c.by, c.arguments["description"])
		if queued || err != nil {
			return result(r, err)
		}
	}
	return toCommand(core.KindCreateTask, "description")(c)
}

// queueTasks proposes tasks for the queue.
func queueTasks(c *toolCall) (*outcome, error) {
	r, err := queue.Propose(c, c.project, c.id, c.by, c.arguments["tasks"])
	return result(r, err)
}
