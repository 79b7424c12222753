package gc

import (
	"context"
	"errors"
	"path"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
)

// findInProject lists what a project can free of its own.
func findInProject(ctx context.Context, p *project.Task, o Options) (all []Item, err error) {
	worlds, err := p.Worlds()
	if err != nil {
		return nil, err
	}
	open := slices.ContainsFunc(worlds, core.World.IsOpen)
	if lane := string(gate.LaneOf(p)); !open && !isGone(lane) && !isUsed(lane) {
		if _, held, err := p.Files.Holder(project.GateLock); err == nil && !held {
			i := newItem(Gate, lane, "no task is open; the next gate makes it again")
			i.free = func(context.Context) error { return freeLane(p, lane) }
			all = append(all, i)
		}
	}
	objects, err := findObjects(ctx, p, worlds)
	if err != nil {
		return nil, err
	}
	all = append(all, objects...)
	worktrees, err := findWorktrees(ctx, p, o, worlds)
	if err != nil {
		return nil, err
	}
	refs, err := findRefs(ctx, p, o)
	return append(append(all, worktrees...), refs...), err
}

// freeLane removes the lane of a project, while no gate can begin.
func freeLane(p *project.Task, lane string) error {
	lock, err := p.Files.TryLock(project.GateLock)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := refuseUsed(lane); err != nil {
		return err
	}
	return removeDir(lane)
}

// isInUse reports whether trees of a task may still be proven, reviewed or landed.
func isInUse(all project.Worlds) bool {
	return slices.ContainsFunc(all, func(w core.World) bool {
		return w.IsOpen() || w.Task != nil && w.Task.Landed == nil
	})
}

// findObjects lists the trees that a project hashed, where no task has them proven or can land.
func findObjects(ctx context.Context, p *project.Task, all project.Worlds) ([]Item, error) {
	objects := p.Store.Path("run", "git", "objects")
	if isInUse(all) || isEmpty(objects) {
		return nil, nil
	}
	left, err := worktree.List(ctx, p.Dir)
	if err != nil || len(left) > 0 {
		return nil, err
	}
	i := newItem(Objects, objects, "no task is open; reports no longer show changes that did not land")
	i.free = func(ctx context.Context) error { return freeObjects(ctx, p) }
	return []Item{i}, nil
}

// isEmpty reports whether a store of objects has none, or is not there.
func isEmpty(dir string) bool {
	return !slices.ContainsFunc(entries(dir), func(name string) bool {
		return path.Base(name) != "info" && path.Base(name) != "pack" || len(entries(name)) > 0
	})
}

// freeObjects removes the trees that a project hashed, while no gate can begin.
func freeObjects(ctx context.Context, p *project.Task) error {
	lock, err := p.Files.TryLock(project.GateLock)
	if err != nil {
		return err
	}
	defer lock.Close()
	all, err := p.Worlds()
	if err != nil || isInUse(all) {
		return err
	}
	return p.Repo().Forget(ctx)
}

// findWorktrees lists the worktrees of ended tasks whose removal loses nothing.
func findWorktrees(ctx context.Context, p *project.Task, o Options, worlds project.Worlds) (
	all []Item, err error) {
	found, err := worktree.List(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	archived, err := p.Store.List("archive")
	if err != nil {
		return nil, err
	}
	workflows, err := p.Store.List("workflows")
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if slices.Contains(workflows, f.ID) && !hasLanded(p, f.ID) {
			continue // It is open, or can still land.
		}
		i := newItem(Worktree, f.Top(), "its task has ended, and every commit is on another branch")
		w := worlds.Of(f.ID)
		if w != nil && w.Task.Landed == nil {
			continue // It can still land, be worked on, or be answered for.
		}
		if w == nil && !slices.Contains(archived, f.ID) && o.Now.Sub(i.Used) < keepNew {
			continue // A new one may belong to a task that is just being created.
		}
		loss, err := worktree.Losses(ctx, f.Place)
		if err != nil || !loss.None() {
			continue // ferrus worktree shows it.
		}
		i.free = func(ctx context.Context) error {
			lock, err := p.Files.TryLock(project.LandLock)
			if err != nil {
				return err
			}
			defer lock.Close()
			teardown, err := gate.RemoveWorktree(ctx, p, f.Place, false)
			return errors.Join(teardown, err)
		}
		all = append(all, i)
	}
	return all, nil
}

// hasLanded reports whether the result of a workflow has landed.
func hasLanded(p *project.Task, id string) bool {
	_, err := p.Store.ReadFile("workflows/" + id + "/landed.json")
	return err == nil
}
