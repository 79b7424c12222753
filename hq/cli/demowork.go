package cli

import (
	"context"
	"errors"

	"ferrus/hq/project"
	"ferrus/hq/workflow"
	flow "ferrus/machine/workflow"
	"ferrus/store"
)

// startWorkflow begins the demo's workflow, unless one is there to go on with; it
// returns one that is over.
func (d *demonstration) startWorkflow(ctx context.Context, pr *project.Project) (over *workflow.Workflow, err error) {
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
	_, err = b.Start(ctx, project.HumanActor(), workflow.Request{Type: flow.Type(d.workflow), Title: "Retry requests while the orders service is down", Text: d.request})
	return nil, err
}

// planNotes are what the person who watches says of the first plan.
const planNotes = "Say how it is tested."

// decideWorkflow decides as the person would: the first plan goes back, the second is
// approved, and what is blocked goes on.
func decideWorkflow(ctx context.Context, pr *project.Project) error {
	b := workflow.Open(pr)
	w, err := b.Find()
	if errors.Is(err, workflow.ErrNoneOpen) {
		return nil
	}
	if err != nil || w.Asks() == "" {
		return err
	}
	c := workflow.Command{Kind: "approve", By: project.HumanActor(), Ticket: w.Counters.Ticket}
	switch {
	case w.Phase == flow.Blocked:
		c.Kind = "unblock"
	case w.Flow().Phase(w.Phase).Run != flow.RunPerson:
		return nil
	case w.Counters.Revisions == 0:
		c.Kind, c.Text = "revise", planNotes
	}
	if _, err := b.Do(ctx, w.ID, store.Call{}, c); err != nil && !isRefusal(err) {
		return err
	}
	return nil
}
