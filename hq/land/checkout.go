package land

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/hq/worktree"
)

// readyHere is about a task that was worked on in the project directory itself: what
// is not committed there must be the task's, and nothing else.
func (l *landing) readyHere(ctx context.Context, plan *Plan) error {
	if err := l.since(ctx, plan); err != nil {
		return err
	}
	dirty, err := status(ctx, l.work)
	if err != nil {
		return err
	}
	if len(dirty) == 0 {
		return refuse("nothing is left to do", "there is nothing to commit: %s already has it", plan.Onto)
	}
	mine, before, err := l.uncommittedPaths(ctx)
	if err != nil {
		return err
	}
	if len(before.Filtered) > 0 {
		return refuse("commit the work yourself with git, then archive the task: ferrus reset",
			"git stores these files through a filter of .gitattributes, which ferrus does not run: %s",
			checks.JoinPaths(before.Filtered))
	}
	if l.options.Changes {
		return nil
	}
	var way, half []string
	for _, d := range dirty {
		switch {
		case d.name == l.w.TaskSpec: // What the task came from lands with it.
		case !slices.Contains(mine, d.name) || slices.Contains(before.Paths, d.name):
			way = append(way, d.name)
		case d.staged != ' ' && d.staged != '?' && d.unstaged != ' ':
			half = append(half, d.name)
		}
	}
	switch {
	case len(way) > 0:
		away := "commit or stash them"
		if l.Old == "" {
			away = "commit them" // git stashes nothing before there is a commit
		}
		return refuse(away+" and check the task again, or land them too: ferrus land --with-changes",
			"uncommitted changes from before the task are in the way: %s", checks.JoinPaths(way))
	case len(half) > 0:
		return refuse("stage all of it or nothing, or discard the index: ferrus land --with-changes",
			"staged in part: %s", checks.JoinPaths(half))
	}
	return nil
}

// uncommittedPaths returns the files that the task changed, and the files that differed from HEAD
// when it began.
func (l *landing) uncommittedPaths(ctx context.Context) (mine []string, before checks.Differing, err error) {
	base := l.w.Task.Base.Tree
	files, err := l.project.Repo().Files(ctx, base, l.w.Submission.Tree)
	if err != nil {
		return nil, before, err
	}
	for _, f := range files {
		mine = append(mine, f.Path)
		if f.Old != "" {
			mine = append(mine, f.Old)
		}
	}
	head, err := l.treeOf(ctx, l.Old)
	if err != nil {
		return nil, before, err
	}
	if head == "" {
		head = git.EmptyTreeLike(base)
	}
	before, err = l.project.Repo().Differing(ctx, base, head)
	return mine, before, err
}

// landHere commits on what is checked out. The files stay as they are.
func (l *landing) landHere(ctx context.Context) (Done, error) {
	err := l.commitHere(ctx)
	switch {
	case err == nil:
		return l.landed(ctx)
	case errors.Is(err, errStopped):
		return Done{}, err
	}
	return Done{}, errors.Join(err, l.undo(context.WithoutCancel(ctx)))
}

func (l *landing) commitHere(ctx context.Context) (err error) {
	proven, err := l.same(ctx)
	if err != nil {
		return err
	}
	base, err := l.treeOf(ctx, l.Old)
	if err != nil {
		return err
	}
	if err := l.prepareTip(ctx, proven, base); err != nil {
		return err
	}
	if err := l.keepIndex(l.work); err != nil {
		return err
	}
	l.options.Tell("committing on " + strings.TrimPrefix(l.Ref, "refs/heads/"))
	if err := l.save(stepForward); err != nil {
		return err
	}
	if err := l.move(ctx, l.Ref, l.Tip, l.Old); err != nil {
		return err
	}
	return l.git(ctx, l.work, "reset", "--quiet", "--mixed")
}

// commit makes a commit of a tree, of no branch yet.
func (l *landing) commit(ctx context.Context, tree, parent string) (string, error) {
	if parent == "" {
		return worktree.Commit(ctx, l.work, tree, l.options.Message)
	}
	return worktree.Commit(ctx, l.work, tree, l.options.Message, parent)
}

// treeOf returns the tree of a commit; empty for none.
func (l *landing) treeOf(ctx context.Context, commit string) (string, error) {
	if commit == "" {
		return "", nil
	}
	return l.work.Git().TreeOf(ctx, commit)
}

// move moves a branch, if it is where it is believed to be.
func (l *landing) move(ctx context.Context, ref, to, from string) error {
	args := []string{"update-ref", "-m", "ferrus land: " + l.Task}
	if from == "" {
		from = zero(to)
	}
	if ref == "HEAD" {
		args = append(args, "--no-deref")
	}
	return l.git(ctx, l.work, append(args, ref, to, from)...)
}

// zero returns the name of no object.
func zero(like string) string { return string(bytes.Repeat([]byte("0"), len(like))) }

// untouched reports whether the index still equals the kept one.
func (l *landing) untouched(r git.Repository) bool {
	now, err := regular.Read(filepath.Join(r.Dir, "index"), math.MaxInt32)
	kept, gone := os.ReadFile(l.project.Files.Path(indexFile))
	return (err == nil) == (gone == nil) && bytes.Equal(now, kept)
}
