package queue

import (
	"context"
	"fmt"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
)

// Create adds a task to the queue in the place of one that is created at once, where each task
// has a worktree of its own. It reports false, and adds nothing, where the task has to be created
// at once: it works in your checkout, or comes from a milestone that its creation consumes.
func Create(ctx context.Context, p *project.Task, call store.Call, by core.Actor, text string) (
	r core.Result, queued bool, err error) {
	cfg, err := p.Config()
	if err != nil || p.HasDirectory() || !cfg.HQ.Worktree() {
		return r, false, err
	}
	state, err := p.World()
	if err != nil || state.World.PendingTaskMilestone != "" || state.World.PendingTaskChanges {
		return r, false, err
	}
	q, err := OpenOrCreate(ctx, p)
	if err != nil {
		return r, false, err
	}
	added, err := q.Add(ctx, by, []New{{Text: text}})
	if err != nil {
		return r, false, err
	}
	if err := p.Store.WriteFile(WakeFile, nil); err != nil {
		return r, true, err
	}
	words := fmt.Sprintf("%s (%s)", added[0].Title, added[0].Name())
	r, err = p.Do(ctx, call, core.Command{Kind: core.KindQueueTask, By: by, Text: words})
	return r, true, err
}
