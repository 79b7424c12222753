package conductor

import (
	"context"
	"errors"
	"fmt"

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
	s, err := q.Load()
	if err != nil {
		return err
	}
	at := s.World.Index(n)
	if at < 0 || !s.World.Items[at].Proposed() {
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

func (c *Conductor) openQueue() (*queue.Queue, error) {
	q, err := queue.Open(c.project.Main())
	if errors.Is(err, store.ErrNone) {
		return nil, errors.New("the queue is empty")
	}
	return q, err
}
