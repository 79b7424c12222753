package conductor

import (
	"context"
	"errors"
	"fmt"

	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/store"
)

// QueueSpec queues the open milestones of a specification.
func (c *Conductor) QueueSpec(ctx context.Context, s spec.Spec) ([]queue.Item, error) {
	q, err := queue.OpenOrCreate(ctx, c.project.Main())
	if err != nil {
		return nil, err
	}
	all, err := q.Milestones(s)
	if err != nil {
		return nil, err
	}
	added, err := q.Add(ctx, project.HumanActor(), all)
	if err == nil {
		err = c.project.Main().Store.WriteFile(queue.WakeFile, nil)
	}
	return added, err
}

// ApproveProposed has tasks begin that a supervisor proposed: all, or the one with a number.
func (c *Conductor) ApproveProposed(ctx context.Context, n int) ([]queue.Item, error) {
	q, err := c.openQueue()
	if err != nil {
		return nil, err
	}
	return q.Approve(ctx, project.HumanActor(), n)
}

// CancelProposed takes a task that was proposed out of the queue.
func (c *Conductor) CancelProposed(ctx context.Context, n int) error {
	q, err := c.openQueue()
	if err != nil {
		return err
	}
	i, err := q.Item(n)
	if err != nil && !errors.Is(err, queue.ErrUnknown) {
		return err
	}
	if err != nil || !i.Proposed() {
		return fmt.Errorf("#%d is not proposed: ferrus task cancel %d cancels any task", n, n)
	}
	return q.Cancel(ctx, project.HumanActor(), n)
}

// Rewrite gives a task that has not begun another text.
func (c *Conductor) Rewrite(ctx context.Context, n int, text string) error {
	q, err := c.openQueue()
	if err != nil {
		return err
	}
	return q.Rewrite(ctx, project.HumanActor(), n, text)
}

// Request returns the text of a task that has not begun.
func (c *Conductor) Request(n int) (string, error) {
	q, err := c.openQueue()
	if err != nil {
		return "", err
	}
	return q.Request(n)
}

// Merges returns what the merge queues do, and what was merged, in lines; none: nothing was.
func (c *Conductor) Merges() ([]string, error) {
	q, err := queue.Open(c.project.Main())
	if errors.Is(err, store.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	now, err := merge.Present(q)
	if err != nil {
		return nil, err
	}
	past, err := merge.History(q)
	return append(now, past...), err
}

// DecideMerge decides about the merge that waits for you: again, accept or resume. It returns the branch.
func (c *Conductor) DecideMerge(ctx context.Context, what string) (string, error) {
	q, err := c.openQueue()
	if err != nil {
		return "", err
	}
	target, err := merge.Waiting(q)
	if err == nil && target == "" {
		err = errors.New("no merge waits for you: /merge shows what was merged")
	}
	if err != nil {
		return "", err
	}
	return target, merge.Decide(ctx, q, project.HumanActor(), target, merge.Decision(what))
}

// Unland queues a task that reverts what a task has landed, which is named by its number.
func (c *Conductor) Unland(ctx context.Context, name string) (queue.Item, error) {
	q, err := c.openQueue()
	if err != nil {
		return queue.Item{}, err
	}
	return merge.UnlandNamed(ctx, q, name)
}

func (c *Conductor) openQueue() (*queue.Queue, error) {
	q, err := queue.Open(c.project.Main())
	if errors.Is(err, store.ErrNone) {
		return nil, errors.New("the queue is empty")
	}
	return q, err
}
