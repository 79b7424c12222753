package conductor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// Workflow returns the open workflow, else the newest, with its page as Markdown.
func (w *openWorkflow) Workflow() (workflow.Workflow, string, error) {
	book := w.store
	found, err := book.Find()
	if errors.Is(err, workflow.ErrNoneOpen) {
		var all []workflow.Workflow
		if all, err = book.List(); len(all) > 0 {
			found, err = all[len(all)-1], nil
		} else if err == nil {
			err = errors.New("there is no workflow yet; /workflow <feature|debug|refactor|oneshot> <title> starts one")
		}
	}
	if err != nil {
		return found, "", err
	}
	var loop workflow.TaskLoop
	w.loop.Ask(func() {
		loop = workflow.TaskLoop{World: *w.world(), Text: w.texts.Task, Rows: w.rows()}
	})
	lives, err := book.Executor(&found.Document)
	loop.Lives = lives != ""
	return found, book.Describe(found, workflow.PlanNext(&found.Document, loop).Held(loop.World.Hold)), err
}

// StartWorkflow starts a workflow as the human.
func (w *openWorkflow) StartWorkflow(ctx context.Context, kind, title string) (workflow.Workflow, error) {
	defer w.loop.Ask(w.reload)
	request := workflow.Request{Type: flow.Type(kind), Title: title, Text: title}
	return w.store.Start(ctx, project.HumanOf(ctx), request)
}

// Decide answers the open workflow as the human: approve, revise, unblock, replan or
// cancel. An answer counts for what is asked now.
func (w *openWorkflow) Decide(ctx context.Context, kind, text string) (workflow.Workflow, error) {
	defer w.loop.Ask(w.reload)
	book := w.store
	found, err := book.Find()
	if err != nil {
		return found, err
	}
	if kind == string(flow.KindCancel) {
		text = cmp.Or(text, "cancelled by the human")
		w.loop.Ask(func() { w.cancelled = found.ID })
		return book.Cancel(ctx, found.ID, text)
	}
	after, err := book.Do(ctx, found.ID, store.Call{}, workflow.Command{
		Kind: machine.Kind(kind), By: project.HumanOf(ctx), Text: text, Ticket: found.Counters.Ticket,
	})
	if err != nil {
		return found, fmt.Errorf("%s: %w", kind, err)
	}
	return after, nil
}
