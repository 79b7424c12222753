package scheduler

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"ferrus/hq/adopt"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/store"
)

// QueueCommands are your commands to the queue and its merges. They need the project alone: the
// loop notices by itself what they wrote.
type QueueCommands struct{ project *project.Task }

// QueueSpec queues the open milestones of a specification.
func (c QueueCommands) QueueSpec(ctx context.Context, s spec.Spec) ([]queue.Item, error) {
	q, err := queue.OpenOrCreate(ctx, c.project.Main())
	if err != nil {
		return nil, err
	}
	all, err := q.Milestones(s)
	if err != nil {
		return nil, err
	}
	added, err := q.Add(ctx, project.HumanOf(ctx), all)
	if err == nil {
		err = c.project.Main().Store.WriteFile(queue.WakeFile, nil)
	}
	return added, err
}

// ApproveProposed approves tasks that a supervisor proposed, so that they can start: all, or
// the one with a number.
func (c QueueCommands) ApproveProposed(ctx context.Context, n int) ([]queue.Item, error) {
	q, err := c.openQueue()
	if err != nil {
		return nil, err
	}
	return q.Approve(ctx, project.HumanOf(ctx), n)
}

// CancelProposed takes a task that was proposed out of the queue.
func (c QueueCommands) CancelProposed(ctx context.Context, n int) error {
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
	return q.Cancel(ctx, project.HumanOf(ctx), n)
}

// Rewrite gives a task that has not started another text.
func (c QueueCommands) Rewrite(ctx context.Context, n int, text string) error {
	q, err := c.openQueue()
	if err != nil {
		return err
	}
	return q.Edit(ctx, project.HumanOf(ctx), n, queue.Changes{Text: &text})
}

// Request returns the text of a task that has not started.
func (c QueueCommands) Request(n int) (string, error) {
	q, err := c.openQueue()
	if err != nil {
		return "", err
	}
	return q.Request(n)
}

// Merges returns what the merge queues do, and what was merged, in lines; none: nothing was.
func (c QueueCommands) Merges() ([]string, error) {
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

// DecideMerge decides about the named merge, or the waiting one if none is named: again, accept or
// resume. It returns what it decided about.
func (c QueueCommands) DecideMerge(ctx context.Context, what, name string) (string, error) {
	q, err := c.openQueue()
	if err != nil {
		return "", err
	}
	decided, err := merge.DecideNamed(ctx, q, project.HumanOf(ctx), name, merge.Decision(what))
	if errors.Is(err, merge.ErrNothingWaits) {
		err = fmt.Errorf("%w: /merge shows what has been merged", err)
	}
	return decided, err
}

// Unland queues a task that reverts what a task has landed, which is named by its number.
func (c QueueCommands) Unland(ctx context.Context, name string) (queue.Item, error) {
	q, err := c.openQueue()
	if err != nil {
		return queue.Item{}, err
	}
	return merge.UnlandNamed(ctx, q, name)
}

func (c QueueCommands) openQueue() (*queue.Queue, error) {
	q, err := queue.Open(c.project.Main())
	if errors.Is(err, store.ErrNone) {
		return nil, errors.New("the queue is empty")
	}
	return q, err
}

// LookAt returns what work that you began by hand is in a directory, which may be relative to the project.
func (c QueueCommands) LookAt(ctx context.Context, dir string, o adopt.Options) (adopt.Found, error) {
	return adopt.Inspect(ctx, c.project, c.fromProject(dir), o)
}

// AdoptFrom queues a task that continues the work in a directory.
func (c QueueCommands) AdoptFrom(ctx context.Context, dir string, o adopt.Options, text string) (queue.Item, error) {
	return adopt.Adopt(ctx, c.project, c.fromProject(dir), o, text)
}

// fromProject returns a path relative to the project directory.
func (c QueueCommands) fromProject(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.project.Dir, path)
}
