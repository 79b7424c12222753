package merge

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// Unland adds a task that reverts what an item landed. What has landed stays in the history of the branch:
// the task goes through gate, review and merge queue like any other.
func Unland(ctx context.Context, q *queue.Queue, by core.Actor, i queue.Item) (queue.Item, error) {
	switch {
	case i.State != itemLanded:
		return queue.Item{}, fmt.Errorf("%s has not landed: ferrus task list shows where it is", i.Name())
	case i.Landed == "":
		return queue.Item{}, fmt.Errorf("%s has landed without the merge queue: revert its commit with git revert",
			i.Name())
	}
	p, err := q.Task(queue.Item{}) // the project's own
	if err != nil {
		return queue.Item{}, err
	}
	switch here, err := New(p, q).isOn(ctx, i.Landed, "HEAD"); {
	case err != nil:
		return queue.Item{}, err
	case !here: // the task would start from a commit without the work
		return queue.Item{}, fmt.Errorf("%s has landed on %s as %.12s, which is not in the commit that you have "+
			"checked out: check out %s, or pull, and try again", i.Name(), i.Onto, i.Landed, i.Onto)
	}
	text := fmt.Sprintf("# Revert %s: %s\n\n"+
		"Revert what commit %s of `%s` changed, and nothing else: apply the reverse of\n"+
		"`git diff %s^ %s`. Where later work has changed the same lines, keep that work, and revert\n"+
		"only what it does not need. The checks must pass. Say in the summary what was kept.\n",
		i.Name(), i.Title, i.Landed, i.Onto, i.Landed, i.Landed)
	added, err := q.Add(ctx, by, []queue.New{{Text: text}})
	if err != nil {
		return queue.Item{}, err
	}
	return added[0], nil
}

// UnlandNamed is like [Unland] for the item that you name as [queue.Document.Find]
// says.
func UnlandNamed(ctx context.Context, q *queue.Queue, name string) (queue.Item, error) {
	s, err := q.Load()
	if err != nil {
		return queue.Item{}, err
	}
	i, err := s.World.Find(name)
	if err != nil {
		return i, err
	}
	return Unland(ctx, q, project.HumanOf(ctx), i)
}
