package land

import (
	"context"
	"errors"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
)

// Finish records that a task has landed, by whom, and removes its worktree if nothing is lost by that. It may be
// called again, and has to be after an error.
func Finish(ctx context.Context, t *project.Task, commit, branch string, by core.Actor) (Done, error) {
	d := Done{Commit: commit, Onto: branch}
	l := &landing{project: t, by: by, record: record{Own: true, Ref: "refs/heads/" + branch, Tip: commit}}
	l.options.Tell = func(string) {}
	home, err := git.Locate(t.Dir)
	if err != nil {
		return d, err
	}
	if s, err := t.World(); err == nil && s.World.Task == nil { // you reset it, and its worktree is yours
		return d, home.Git().Do(ctx, "update-ref", "-d", stagedRef(t.ID))
	}
	if err := l.find(ctx, ""); err != nil {
		return d, err
	}
	if err := l.note(ctx, d); err != nil {
		return d, err
	}
	if err := l.keepTip(ctx, home); err != nil {
		return d, err
	}
	if err := l.finish(ctx, home, &d); err != nil {
		return d, err
	}
	return d, home.Git().Do(ctx, "update-ref", "-d", stagedRef(l.Task))
}

// keepTip keeps landed work on a ref if you have since removed it from the branch: nothing else may have
// it once the worktree is removed.
func (l *landing) keepTip(ctx context.Context, home git.Repository) error {
	head, err := commitOf(ctx, home, l.Ref)
	if err != nil {
		return err
	}
	if head != "" {
		if in, err := home.IsAncestor(ctx, l.Tip, head); in || err != nil {
			return err
		}
	}
	has, err := home.Git().Output(ctx, "for-each-ref", "--count=1", "--contains="+l.Tip, "refs/heads", "refs/remotes",
		"refs/tags", "refs/ferrus/fetched") // of a pull request: the forge has merged it
	if err != nil || has != "" {
		return err
	}
	return home.Git().Do(ctx, "update-ref", l.rescued(), l.Tip)
}

// finish removes the worktree, or what an interrupted removal has left of it.
func (l *landing) finish(ctx context.Context, home git.Repository, d *Done) error {
	work, err := l.repository()
	replaced := (*git.Replaced)(nil)
	switch {
	case errors.As(err, &replaced):
		d.Kept = err.Error()
		return nil
	case errors.Is(err, git.ErrNoRepository):
		place := l.project.Worktree(l.Task)
		left, err := worktree.Remains(ctx, place)
		if !left || err != nil {
			return err
		}
		l.work = home
		l.Head, err = commitOf(ctx, home, "refs/heads/"+place.Branch())
		if err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		l.work, l.Dir = work, work.Top
		if l.Head, err = commitOf(ctx, work, "HEAD"); err != nil {
			return err
		}
	}
	d.Kept, d.Teardown, err = l.clean(ctx)
	return err
}
