package project

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/worktree"
	"ferrus/machine"
)

// OpenWorkspace is [worktree.Open] for the worktree of a task that has one.
func (t *Task) OpenWorkspace(w core.World) error {
	if w.Task == nil || w.Task.Workspace == nil {
		return nil
	}
	return worktree.Open(t.Worktree(w.Task.ID).Top())
}

// Workspace returns the directory in which a task is worked on and checked: the project
// directory, or the same directory in the task's worktree until it has landed. A task with
// a directory of its own never has the project directory, whether its worktree exists or not.
func (t *Task) Workspace(w core.World) string {
	if w.Task == nil || w.Task.Workspace == nil || w.Task.Landed != nil {
		return t.outside()
	}
	dir := w.Task.Workspace.Dir
	if !filepath.IsLocal(dir) || !strings.HasPrefix(path.Clean(dir)+"/", worktree.Folder+"/"+w.Task.ID+"/") {
		return t.outside() // ferrus did not write that.
	}
	return filepath.Join(t.Dir, ".ferrus", filepath.FromSlash(dir))
}

// outside returns where a task works that has no worktree.
func (t *Task) outside() string {
	if t.HasDirectory() {
		return t.Worktree(t.ID).Top()
	}
	return t.Dir
}

// Worktree returns the place of a task's worktree, whether there is one or not.
func (p *Project) Worktree(task string) worktree.Place {
	return worktree.Place{Project: p.Dir, ID: task}
}

// Setup returns the commands that prepare a new worktree. [GateDefinition] has them, too, to
// be trusted.
func Setup(cfg config.Config) core.Definition {
	d := core.Definition{TimeoutSecs: cfg.HQ.SetupTimeoutSecs, Sandbox: SandboxOf(cfg)}
	d.Commands = append(d.Commands, cfg.HQ.Setup...)
	return d
}

// Teardown returns the commands that run in a worktree before it is removed.
func Teardown(cfg config.Config) core.Definition {
	return core.Definition{TimeoutSecs: cfg.HQ.SetupTimeoutSecs, Sandbox: SandboxOf(cfg), Commands: cfg.HQ.Teardown}
}

// WithCopyProgress is [worktree.WithProgress], for the layers above.
func WithCopyProgress(ctx context.Context, f func(name string, files int)) context.Context {
	return worktree.WithProgress(ctx, f)
}

// makeWorktree makes the worktree of a new task, if the configuration wants one, and
// returns the task's directory. It comes before the task: a task without its workspace is
// not created, and a crash in between leaves a worktree for the doctor to report.
func (t *Task) makeWorktree(ctx context.Context, cfg config.Config, w core.World,
	c *core.Command) (dir string, err error) {
	changes := c.Changes || c.By.Role == machine.Supervisor && w.PendingTaskChanges
	// A workflow without a worktree has its tasks in your checkout, whatever the file says by now.
	if (!cfg.HQ.Worktree() || c.Origin != nil) && !t.HasDirectory() {
		return t.Dir, noWorktree(changes)
	}
	if t.HasDirectory() { // a process that died made one, and no task
		if err := worktree.Discard(ctx, t.Worktree(t.ID)); err != nil {
			return "", err
		}
	}
	o := worktree.Options{Changes: cfg.HQ.CarryChanges || changes, Clone: cfg.HQ.Clone}
	if c.Origin != nil {
		o.Changes, o.Branch = false, t.Worktree(c.Origin.Workflow).Branch()
	}
	if c.Adopted != nil {
		o.Changes, o.Adopted, o.From = false, c.Adopted.Snapshot, c.Adopted.Dir
	}
	made, err := worktree.Make(ctx, t.Worktree(c.Facts.TaskID), o)
	if err != nil {
		return "", err
	}
	below, err := filepath.Rel(filepath.Join(t.Dir, ".ferrus"), made.Dir)
	if err != nil {
		return "", err
	}
	c.Facts.Workspace = &core.Workspace{
		Dir: filepath.ToSlash(below), Branch: t.Worktree(c.Facts.TaskID).Branch(), From: made.From, Left: made.Left,
		Ready: len(cfg.HQ.Setup) == 0, Adopted: c.Adopted,
	}
	c.Facts.Base.Start = made.Start
	return made.Dir, nil
}

// FreeAdopted forgets the copy of the work that a task began with: its worktree has it.
func (t *Task) FreeAdopted(ctx context.Context, a *core.Adopted) error {
	if a == nil {
		return nil
	}
	home, err := git.Locate(t.Dir)
	if err == nil {
		err = worktree.FreeAdopted(ctx, home, a.Snapshot)
	}
	return err
}

// ErrNoWorktree reports changes that should be copied to a worktree where tasks have none.
var ErrNoWorktree = errors.New(
	`--with-changes needs a worktree; without one the agents see uncommitted changes anyway ([hq] workspace = "worktree" gives each task one)`)

func noWorktree(changes bool) error {
	if changes {
		return ErrNoWorktree
	}
	return nil
}

// discardWorktree removes the worktree of a task that was not created. After an error only
// the state tells whether it was; if that cannot be read, the worktree stays.
func (t *Task) discardWorktree(ctx context.Context, c core.Command) error {
	if c.Facts.Workspace == nil {
		return nil
	}
	state, err := t.World()
	if err != nil || state.World.Task != nil && state.World.Task.ID == c.Facts.TaskID {
		return nil
	}
	return worktree.Discard(context.WithoutCancel(ctx), t.Worktree(c.Facts.TaskID))
}
