package project

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/worktree"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store/diskfault"
)

// gatherer gathers facts that take too long to gather under the lock.
type gatherer struct {
	when   func(core.World, core.Command) bool // the command needs it in this World
	gather func(*Task, context.Context, config.Config, core.World, *core.Command) error
}

// gatherers lists the commands that depend on a tree or on a text. In other states they
// are decided without one.
var gatherers = map[machine.Kind]*gatherer{
	core.KindCreateTask: {in(task.Idle, task.Complete), (*Task).gatherBase},
	core.KindSubmit:     {passed, (*Task).gatherReview},
	core.KindApprove:    {in(task.Reviewing), (*Task).gatherReview},
	core.KindVoided:     {in(task.Reviewing), (*Task).gatherDifference},
	core.KindClaim:      {reviewing, (*Task).gatherTree},

	core.KindComment:        {hasDrafts, (*Task).gatherComments},
	core.KindReject:         {hasDrafts, (*Task).gatherComments},
	core.KindReturned:       {hasDrafts, (*Task).gatherComments},
	core.KindResolveComment: {always, (*Task).gatherComments},
	core.KindAskPermission:  {hasText, (*Task).gatherRequests},
}

func in(states ...machine.State) func(core.World, core.Command) bool {
	return func(w core.World, _ core.Command) bool { return slices.Contains(states, w.Normalize().State) }
}

func always(core.World, core.Command) bool { return true }

func passed(w core.World, _ core.Command) bool { return w.State == task.Checking && !w.GateRunning() }

func reviewing(w core.World, c core.Command) bool {
	return w.State == task.Reviewing && c.By.Role == machine.Supervisor
}

// gatherTree reads the present tree. A tree that cannot be read, or not completely, counts
// as none, and TreeWhy has the reason. A disk that takes nothing says nothing about the tree.
func (t *Task) gatherTree(ctx context.Context, _ config.Config, w core.World, c *core.Command) error {
	read := t.Work(w).Tree
	if judgesSubmission(c.Kind) || c.Kind == core.KindSubmit {
		read = t.Work(w).Reread
	}
	tree, err := read(ctx)
	c.Facts.Tree, c.Facts.TreeWhy = tree.Hash, ""
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case diskfault.Is(err):
		return err
	case err != nil:
		c.Facts.Tree, c.Facts.TreeWhy = "", err.Error()
	case len(tree.Problems) > 0:
		c.Facts.Tree, c.Facts.TreeWhy = "", strings.Join(tree.Problems, "; ")
	}
	return nil
}

// gatherDifference reads the tree for a void, which must not be decided without it.
func (t *Task) gatherDifference(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	if err := t.gatherTree(ctx, cfg, w, c); err != nil {
		return err
	}
	if c.Facts.Tree == "" {
		return fmt.Errorf("compare the tree with the submission: %s", c.Facts.TreeWhy)
	}
	if w.TreeChanged(c.Facts.Tree) {
		c.Facts.TreeWhy = t.describeChanged(ctx, w, w.Submission.Tree, c.Facts.Tree)
	}
	return nil
}

// gatherBase reads what a new task starts from, makes its worktree, and pins what its
// gate runs.
func (t *Task) gatherBase(ctx context.Context, cfg config.Config, w core.World, c *core.Command) error {
	if t.HasDirectory() && w.Epoch > core.New(w.Since).Epoch {
		return fmt.Errorf("%s was started before, and its directory has only one task", t.ID)
	}
	if err := t.Repo().Pin(ctx); err != nil {
		return fmt.Errorf("record what the task starts from: %w", err)
	}
	f := &c.Facts
	if f.TaskID = t.ID; !t.HasDirectory() {
		f.TaskID = newTaskID(time.Now())
	}
	f.StillEnding = t.stillEnding(w, c.By)
	definition := GateDefinition(cfg)
	f.Definition, f.Workspace, f.Base = &definition, nil, core.Base{}
	if _, err := core.Decide(w, *c, limits(cfg)); err != nil {
		return err // Nothing is made for a task that is refused.
	}
	dir, err := t.makeWorktree(ctx, cfg, w, c)
	if err != nil {
		return err
	}
	repo := t.repoIn(dir, f.TaskID)
	tree, err := repo.Tree(ctx)
	if err != nil {
		return errors.Join(fmt.Errorf("record what the task starts from: %w", err), t.discardWorktree(ctx, *c))
	}
	f.Base.Commit, f.Base.Tree = repo.Head(ctx), tree.Hash
	if c.Adopted != nil { // what was done before is the task's work
		f.Base.Commit = c.Adopted.Base
		if f.Base.Tree, err = git.Around(dir).TreeOf(ctx, f.Base.Commit); err != nil {
			return errors.Join(fmt.Errorf("record what the task starts from: %w", err), t.discardWorktree(ctx, *c))
		}
	}
	definition.Path = os.Getenv("PATH")
	definition.Tools = checks.Programs(definition.Path, definition.Commands, dir, t.Dir)
	if definition.Included, err = t.included(ctx); err != nil {
		return errors.Join(fmt.Errorf("record what the task starts from: %w", err), t.discardWorktree(ctx, *c))
	}
	if definition.Unasked, err = t.unaskedFiles(ctx, dir == t.Dir, repo, tree.Hash); err != nil {
		return errors.Join(fmt.Errorf("record what the task starts from: %w", err), t.discardWorktree(ctx, *c))
	}
	return nil
}

// NothingIncluded stands for the hash of no files; see [core.Definition.Included].
const NothingIncluded = "none"

// included returns a hash of the ignored files of your checkout that .worktreeinclude gives to the gate.
func (t *Task) included(ctx context.Context) (string, error) {
	home, err := git.Locate(t.Dir)
	if err != nil {
		return "", err
	}
	key, err := worktree.IncludeKey(ctx, home)
	return cmp.Or(key, NothingIncluded), err
}

// GateDefinition returns what the gate runs under a configuration, with all that needs the
// human's trust.
func GateDefinition(cfg config.Config) core.Definition {
	d := core.Definition{TimeoutSecs: cfg.Checks.TimeoutSecs, AllowNone: cfg.Checks.AllowNone,
		Unprotected: !cfg.Checks.Protect, Setup: cfg.Checks.Setup, Key: cfg.Checks.Key, Env: cfg.Checks.Env,
		Widening: slices.Clone(cfg.Widening), Sandbox: SandboxOf(cfg)}
	if len(d.Setup) == 0 {
		d.Setup = slices.Clone(cfg.HQ.Setup)
	} else {
		for _, c := range cfg.HQ.Setup {
			d.Widening = append(d.Widening, "setup of a worktree: "+c.String())
		}
	}
	for _, c := range cfg.HQ.Teardown {
		d.Widening = append(d.Widening, "teardown of a worktree: "+c.String())
	}
	d.Commands = append(d.Commands, cfg.Checks.Commands...)
	d.Quick = slices.Clone(cfg.Checks.Quick)
	return d
}

// SandboxOf returns the sandbox of a configuration. What ferrus.toml has beside the defaults
// needs the human's trust, as its commands do.
func SandboxOf(cfg config.Config) core.Sandbox {
	s := cfg.Sandbox
	return core.Sandbox{Mode: s.Mode, Network: cfg.Checks.Network, SetupNetwork: cfg.Checks.SetupNetwork,
		Sessions: s.Network, Hosts: s.Hosts, Ports: s.Ports,
		Write: expandHome(s.Write), Read: expandHome(s.Read), Sockets: expandHome(s.Sockets), Devices: s.Devices}
}

// expandHome returns paths with your home for ~.
func expandHome(paths []string) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return paths // What begins with ~ is refused when it is used.
	}
	all := slices.Clone(paths)
	for i, path := range all {
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			all[i] = filepath.Join(home, below)
		}
	}
	return all
}

// newTaskID returns an id such as t-20261120-101500-4f2a: the time in UTC, and two random
// bytes.
func newTaskID(now time.Time) string {
	var random [2]byte
	_, _ = rand.Read(random[:]) // It never fails.
	return now.UTC().Format("t-20060102-150405-") + hex.EncodeToString(random[:])
}

// stillEnding reports whether a session of the old task still runs after a reset.
func (t *Task) stillEnding(w core.World, by core.Actor) bool {
	if w.Normalize().State != task.Idle {
		return false
	}
	r, err := t.Registry()
	if err != nil {
		return false
	}
	for _, e := range r.Agents {
		alive, _ := process.Alive(e.Process)
		if alive && e.Slot != core.SlotPlanner && e.Session != by.Session {
			return true
		}
	}
	return false
}
