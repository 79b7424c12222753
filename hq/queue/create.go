package queue

import (
	"context"
	"errors"
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

// Propose adds a supervisor's plan, in the format of [ParseFile], as tasks that begin when you have
// approved them.
func Propose(ctx context.Context, p *project.Task, call store.Call, by core.Actor, plan string) (core.Result, error) {
	all, err := ParseFile(plan)
	if err == nil && len(all) == 0 {
		err = errors.New("it has no task: start each with a line \"# Title\"")
	}
	if err != nil {
		return core.Result{}, fmt.Errorf("read the plan: %w", err)
	}
	q, err := OpenOrCreate(ctx, p.Main())
	if err != nil {
		return core.Result{}, err
	}
	added, err := q.Propose(ctx, by, all)
	if err != nil {
		return core.Result{}, err
	}
	if err := p.Store.WriteFile(WakeFile, nil); err != nil {
		return core.Result{}, err
	}
	words := fmt.Sprintf("proposed: %s (%s)", added[0].Title, added[0].Name())
	if len(added) > 1 {
		words = fmt.Sprintf("%d tasks are proposed: %s to %s", len(added), added[0].Name(), added[len(added)-1].Name())
	}
	r, err := p.Do(ctx, call, core.Command{Kind: core.KindQueueTask, By: by, Text: words})
	if err == nil {
		r.Message = words + "; none starts before the human approves it"
		if r.Next = "the human approves them"; by.Managed {
			r.Next = core.EndSession + "; " + r.Next
		}
	}
	return r, err
}
