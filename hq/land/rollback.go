package land

import (
	"context"
	"errors"
	"fmt"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine/task"
	"ferrus/store"
)

// undo puts everything back: the branch of the worktree, its files, its index.
func (l *landing) undo(ctx context.Context) (err error) {
	if err := l.unlock(l.work); err != nil {
		return err
	}
	if !l.Own {
		return l.undoHere(ctx)
	}
	if l.Step == "" {
		return l.forget()
	}
	if err := l.unmerge(ctx); err != nil {
		return err
	}
	if err := l.abort(ctx); err != nil {
		return err
	}
	at, err := commitOf(ctx, l.work, "HEAD")
	if err != nil {
		return err
	}
	if at != l.Head {
		if err := l.rewind(ctx, l.Work); err != nil {
			return err
		}
		if l.Work != l.Head {
			if err := l.move(ctx, l.branch(), l.Head, l.Work); err != nil {
				return err
			}
		}
	}
	if err := l.putIndexBack(l.work); err != nil {
		return err
	}
	return l.forget()
}

func (l *landing) undoHere(ctx context.Context) error {
	at, err := commitOf(ctx, l.work, l.Ref)
	if err != nil {
		return err
	}
	if l.Tip != "" && at == l.Tip && l.Tip != l.Old {
		if l.Old != "" {
			err = l.move(ctx, l.Ref, l.Old, l.Tip)
		} else {
			err = l.git(ctx, l.work, "update-ref", "-d", l.Ref, l.Tip)
		}
		if err != nil {
			return err
		}
	}
	return l.forget()
}

// abort ends a rebase that stopped.
func (l *landing) abort(ctx context.Context) error {
	if worktree.InProgress(l.work) != "a rebase" {
		return nil
	}
	return l.git(ctx, l.work, "rebase", "--abort")
}

// rewind has branch and files of the worktree at a commit. What another process did
// there since is kept on a ref of its own.
func (l *landing) rewind(ctx context.Context, to string) error {
	if err := l.git(ctx, l.work, "reset", "--quiet", "--mixed"); err != nil {
		return err // Otherwise an index that was not brought up to date looks like a change.
	}
	dirty, err := status(ctx, l.work)
	if err != nil {
		return err
	}
	if len(dirty) > 0 {
		tree, err := worktree.Tree(ctx, l.work)
		if err != nil {
			return err
		}
		kept, err := worktree.Commit(ctx, l.work, tree, "what was there when a landing was taken back\n", "HEAD")
		if err == nil {
			err = l.git(ctx, l.work, "update-ref", "refs/ferrus/rescued/"+l.Task, kept)
		}
		if err != nil {
			return err
		}
	}
	if err := l.git(ctx, l.work, "reset", "--quiet", "--hard", to); err != nil {
		return err
	}
	return l.git(ctx, l.work, "clean", "-fdq")
}

// giveBack hands the work to the executor again, on top of what the branch has
// become: where it does not fit the files have conflict markers. It may be done again.
func (l *landing) giveBack(ctx context.Context) error {
	if err := l.save(stepReturn); err != nil {
		return err
	}
	failed := &Failed{What: l.What, Text: l.Text, Returned: true}
	if l.w.State != task.Complete || l.past {
		return errors.Join(failed, l.forget()) // It has been told already.
	}
	base, err := l.transplant(ctx)
	if err != nil {
		return err
	}
	if l.stopped() {
		return errStopped
	}
	text := l.What + "\n\n" + l.Text +
		"\nThe worktree is now at that commit, with your change applied but not committed. Resolve every conflict " +
		"marker, call check, and submit again.\n"
	_, err = l.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindReturned, By: project.FerrusActor(),
		Text: text, Facts: core.Facts{Base: base}})
	if err != nil {
		return err
	}
	if err := l.forget(); err != nil {
		return err
	}
	return failed
}

// transplant puts the whole change, uncommitted, onto the commit of the branch.
func (l *landing) transplant(ctx context.Context) (base core.Base, err error) {
	if err := l.abort(ctx); err != nil {
		return base, err
	}
	from := l.Work
	if l.Tip != "" {
		from = l.Tip
	}
	if err := l.git(ctx, l.work, "update-ref", l.kept(), l.Work); err != nil {
		return base, err
	}
	fork, err := gitLine(ctx, l.work, "merge-base", from, l.Old)
	if err != nil {
		return base, fmt.Errorf("find where the work began: %w", err)
	}
	whole, err := worktree.Commit(ctx, l.work, from+"^{tree}", "the work\n", fork)
	if err != nil {
		return base, err
	}
	if err := l.rewind(ctx, l.Old); err != nil {
		return base, err
	}
	tree, err := l.project.Work(l.w).Tree(ctx)
	if err != nil {
		return base, err
	}
	err = l.git(ctx, l.work, "cherry-pick", "--no-commit", whole)
	var conflict *git.Failed
	if err != nil && !(errors.As(err, &conflict) && conflict.Exit == 1) {
		return base, err
	}
	return core.Base{Commit: l.Old, Tree: tree.Hash}, l.git(ctx, l.work, "reset", "--quiet", "--mixed")
}

// kept names the commits of work that was given back.
func (l *landing) kept() string { return "refs/ferrus/returned/" + l.Task }
