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
func (c *Conductor) Workflow() (workflow.Workflow, string, error) {
	book := c.work.store
	w, err := book.Find()
	if errors.Is(err, workflow.ErrNoneOpen) {
		var all []workflow.Workflow
		if all, err = book.List(); len(all) > 0 {
			w, err = all[len(all)-1], nil
		} else if err == nil {
			err = errors.New("there is no workflow yet; /workflow <feature|debug|refactor|oneshot> <title> starts one")
		}
	}
	if err != nil {
		return w, "", err
	}
	var loop workflow.TaskLoop
	c.loop.Ask(func() {
		loop = workflow.TaskLoop{World: *c.observed.world(), Text: c.observed.texts.Task, Rows: c.queue.rows}
	})
	lives, err := book.Executor(&w.Document)
	loop.Lives = lives != ""
	return w, book.Describe(w, workflow.PlanNext(&w.Document, loop)), err
}

// StartWorkflow starts a workflow as the human.
func (c *Conductor) StartWorkflow(ctx context.Context, kind, title string) (workflow.Workflow, error) {
	defer c.loop.Ask(c.observed.reload)
	request := workflow.Request{Type: flow.Type(kind), Title: title, Text: title}
	return c.work.store.Start(ctx, project.HumanOf(ctx), request)
}

// Decide answers the open workflow as the human: approve, revise, unblock, replan or
// cancel. An answer counts for what is asked now.
func (c *Conductor) Decide(ctx context.Context, kind, text string) (workflow.Workflow, error) {
	defer c.loop.Ask(c.observed.reload)
	book := c.work.store
	w, err := book.Find()
	if err != nil {
		return w, err
	}
	if kind == string(flow.KindCancel) {
		text = cmp.Or(text, "cancelled by the human")
		c.loop.Ask(func() { c.work.cancelled = w.ID })
		return book.Cancel(ctx, w.ID, text)
	}
	after, err := book.Do(ctx, w.ID, store.Call{}, workflow.Command{
		Kind: machine.Kind(kind), By: project.HumanOf(ctx), Text: text, Ticket: w.Counters.Ticket,
	})
	if err != nil {
		return w, fmt.Errorf("%s: %w", kind, err)
	}
	return after, nil
}
