package project

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/worktree"
	"ferrus/machine"
)

// Workspace is where a task is worked on and checked: the project directory, or the
// same directory in a work tree of the task's own, until the task has landed.
func (p *Project) Workspace(w core.World) string {
	if w.Task == nil || w.Task.Workspace == nil || w.Task.Landed != nil {
		return p.Dir
	}
	dir := w.Task.Workspace.Dir
	if !filepath.IsLocal(dir) || !strings.HasPrefix(path.Clean(dir)+"/", worktree.Folder+"/"+w.Task.ID+"/") {
		return p.Dir // Somebody else wrote that.
	}
	return filepath.Join(p.Dir, ".ferrus", filepath.FromSlash(dir))
}

// Worktree is the place of a task's work tree, whether it has one or not.
func (p *Project) Worktree(task string) worktree.Place {
	return worktree.Place{Project: p.Dir, ID: task}
}

// Setup are the commands that make a new work tree ready, as something to trust.
func Setup(cfg config.Config) core.Definition {
	d := core.Definition{TimeoutSecs: cfg.HQ.SetupTimeoutSecs}
	d.Commands = append(d.Commands, cfg.HQ.Setup...)
	return d
}

// makeWorktree makes the work tree of a new task, where the configuration wants one. It is
// there before the task is: a task that cannot have its workspace is not created.
func (p *Project) makeWorktree(ctx context.Context, cfg config.Config, w core.World, c *core.Command) (dir string, err error) {
	changes := c.Changes || c.By.Role == machine.Supervisor && w.PendingTaskChanges
	if !cfg.HQ.Worktree() {
		return p.Dir, noWorktree(changes)
	}
	made, err := worktree.Make(ctx, p.Worktree(c.Facts.TaskID), cfg.HQ.CarryChanges || changes)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(filepath.Join(p.Dir, ".ferrus"), made.Dir)
	if err != nil {
		return "", err
	}
	c.Facts.Workspace = &core.Workspace{
		Dir: filepath.ToSlash(below), Branch: p.Worktree(c.Facts.TaskID).Branch(), From: made.From, Left: made.Left,
		Ready: len(cfg.HQ.Setup) == 0,
	}
	return made.Dir, nil
}

// ErrNoWorktree refuses to take changes along into a work tree that no task has.
var ErrNoWorktree = errors.New(`--with-changes needs a work tree: here the agents see what is not committed anyway; [hq] workspace = "worktree" gives each task one`)

func noWorktree(changes bool) error {
	if changes {
		return ErrNoWorktree
	}
	return nil
}

// discardWorktree takes away the work tree of a task that was not created. After an error
// only the state can tell; one that cannot be read leaves it to the doctor.
func (p *Project) discardWorktree(ctx context.Context, c core.Command) error {
	if c.Facts.Workspace == nil {
		return nil
	}
	state, err := p.World()
	if err != nil || state.World.Task != nil && state.World.Task.ID == c.Facts.TaskID {
		return nil
	}
	return worktree.Discard(context.WithoutCancel(ctx), p.Worktree(c.Facts.TaskID))
}
