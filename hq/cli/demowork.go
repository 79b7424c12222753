package cli

import (
	"context"
	"errors"

	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
)

// startDemoWorkflow starts the demo's workflow, unless there is one to continue; it returns
// one that has ended.
func startDemoWorkflow(
	ctx context.Context, pr *project.Task, kind flow.Type, request string,
) (over *workflow.Workflow, err error) {
	b := workflow.Open(pr)
	all, err := b.List()
	if err != nil {
		return nil, err
	}
	for _, w := range all {
		if !w.IsFinal() {
			return nil, nil
		}
		over = &w
	}
	if over != nil {
		return over, nil
	}
	_, err = b.Start(ctx, project.HumanActor(),
		workflow.Request{Type: kind, Title: "Retry requests while the orders service is down",
			Text: request})
	return nil, err
}

// planNotes are the notes on the first plan.
const planNotes = "Say how it is tested."

// decideWorkflow decides as you would: it sends the first plan back, approves the second
// and unblocks what is blocked.
func decideWorkflow(ctx context.Context, pr *project.Task) error {
	b := workflow.Open(pr)
	w, err := b.Find()
	if errors.Is(err, workflow.ErrNoneOpen) {
		return nil
	}
	if err != nil || w.Asks() == "" {
		return err
	}
	c := workflow.Command{Kind: flow.KindApprove, By: project.HumanActor(), Ticket: w.Counters.Ticket}
	switch {
	case w.Phase == flow.Blocked:
		c.Kind = flow.KindUnblock
	case w.Flow().Phase(w.Phase).Run != flow.RunHuman:
		return nil
	case w.Counters.Revisions == 0:
		c.Kind, c.Text = flow.KindRevise, planNotes
	}
	if _, err := b.Do(ctx, w.ID, store.Call{}, c); err != nil && !machine.IsRefusal(err) {
		return err
	}
	return nil
}
