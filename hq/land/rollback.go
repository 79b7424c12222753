package land

import (
	"context"
	"errors"

	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine/task"
	"ferrus/store"
)

// undo puts back what was changed: the branch, and the files of the checkout that has it.
func (l *landing) undo(ctx context.Context) (err error) {
	if err := l.unlock(ctx, l.work); err != nil {
		return err
	}
	if !l.Own {
		return l.undoHere(ctx)
	}
	if err := l.unmerge(ctx); err != nil {
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

// rewind has branch and files of the worktree at a commit. What another process did there
// since the approval is kept on a ref of its own. Next is the tree that an interrupted run may have begun to write.
func (l *landing) rewind(ctx context.Context, to, next string) error {
	tree, err := l.project.Work(l.w).Tree(ctx)
	if err != nil {
		return err
	}
	if tree.Hash != l.w.Submission.Tree {
		if err := l.rescue(ctx, tree.Hash, next); err != nil {
			return err
		}
	}
	if err := l.git(ctx, l.work, "reset", "--quiet", "--hard", to); err != nil {
		return err
	}
	return l.git(ctx, l.work, "clean", "-fdq")
}

// rescue keeps a tree of ferrus's own as a commit, if it has a file that differs from the branch, from
// the approved tree and from the next tree.
func (l *landing) rescue(ctx context.Context, tree, next string) error {
	have, err := l.treeOf(ctx, l.Old)
	if err == nil {
		tree, err = l.project.Work(l.w).Stored(ctx, tree, have)
	}
	if err != nil {
		return err
	}
	if ours, err := l.mixes(ctx, tree, have, l.Work, next); ours || err != nil {
		return err
	}
	kept, err := worktree.Commit(ctx, l.work, tree, "what was there when a landing was rolled back\n", l.Old)
	if err != nil {
		return err
	}
	return l.git(ctx, l.work, "update-ref", l.rescued(), kept)
}

// mixes reports whether each file of a tree is as in one of the others: an interrupted write of one over
// the other leaves such a tree.
func (l *landing) mixes(ctx context.Context, tree string, others ...string) (bool, error) {
	differs := map[string]int{} // in how many others a file differs, or is missing
	for _, other := range others {
		names, err := l.work.Git().List(ctx, "diff-tree", "-r", "--name-only", "--no-renames", "-z", other, tree, "--")
		if err != nil {
			return false, err
		}
		for _, name := range names {
			if differs[name]++; differs[name] == len(others) {
				return false, nil
			}
		}
	}
	return true, nil
}

// clean removes the worktree of a task that has landed, and says why it is kept, or why the
// commands of [hq] teardown failed. Files that
// are as they were approved are on the branch now; other commits of the task's branch are kept
// on a ref of their own. After an error it may be called again: what is in the way may be gone then, such as a process
// that ends.
func (l *landing) clean(ctx context.Context) (kept, teardown string, err error) {
	place := l.project.Worktree(l.Task)
	loss, err := worktree.Losses(ctx, place)
	if err != nil {
		return "", "", err
	}
	if len(loss.Files) > 0 && l.w.Submission != nil && len(loss.Processes) == 0 && loss.Under == "" {
		w, task := l.w, *l.w.Task
		w.Task, task.Landed = &task, nil // It was worked on there.
		if tree, err := l.project.Work(w).Tree(ctx); err == nil && tree.Hash == l.w.Submission.Tree {
			loss.Files = nil
		}
	}
	if len(loss.Commits) > 0 {
		if err := l.git(ctx, l.work, "update-ref", l.kept(), l.Head); err != nil {
			return "", "", err
		}
		loss.Commits = nil
	}
	if left := (&worktree.LossError{Place: place, Loss: loss}); len(loss.Processes) > 0 {
		return "", "", left
	} else if !loss.None() {
		return left.Error(), "", nil
	}
	_ = l.git(ctx, l.work, "update-ref", "-d", l.returned()) // Mostly there is none.
	failed, err := gate.RemoveWorktree(ctx, l.project, place, true)
	if failed != nil {
		teardown = failed.Error()
	}
	return "", teardown, err
}

// giveBack hands the work to the executor again, on top of what the branch has
// become: where it does not fit the files have conflict markers. It may be done again.
func (l *landing) giveBack(ctx context.Context) error {
	if err := l.save(stepReturn); err != nil {
		return err
	}
	failed := &FailedError{What: l.What, Text: l.Text, Returned: true}
	if l.w.State != task.Complete || l.past {
		return errors.Join(failed, l.forget()) // It has been told already.
	}
	if err := l.handBack(ctx); err != nil {
		return err
	}
	if err := l.forget(); err != nil {
		return err
	}
	return failed
}

// handBack puts the change onto the commit of the branch in its worktree, and has the task continue.
func (l *landing) handBack(ctx context.Context) error {
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
	return err
}

// transplant puts the whole change, uncommitted, onto the commit of the branch.
func (l *landing) transplant(ctx context.Context) (base core.Base, err error) {
	m, _, err := l.mergeWork(ctx)
	if err != nil {
		return base, err
	}
	onto, err := l.treeOf(ctx, l.Old)
	if err != nil {
		return base, err
	}
	tree, err := l.project.Work(l.w).Stored(ctx, m.Tree, onto)
	if err != nil {
		return base, err
	}
	return l.replaceFiles(ctx, tree)
}

// place puts the files of a commit, uncommitted, onto the commit of the branch below it.
func (l *landing) place(ctx context.Context, commit string) (base core.Base, err error) {
	if _, _, err := l.mergeWork(ctx); err != nil { // which stores the approved work
		return base, err
	}
	tree, err := l.treeOf(ctx, commit)
	if err != nil {
		return base, err
	}
	return l.replaceFiles(ctx, tree)
}

// replaceFiles has the worktree at the commit of the branch, with the files of a tree that git stores. The work
// that was there is kept on a ref.
func (l *landing) replaceFiles(ctx context.Context, tree string) (base core.Base, err error) {
	if err := l.git(ctx, l.work, "update-ref", l.returned(), l.Work); err != nil {
		return base, err
	}
	if err := l.rewind(ctx, l.Old, tree); err != nil {
		return base, err
	}
	began, err := l.project.Work(l.w).Tree(ctx)
	if err != nil {
		return base, err
	}
	if err := l.git(ctx, l.work, "read-tree", "--reset", "-u", tree); err != nil {
		return base, err
	}
	return core.Base{Commit: l.Old, Tree: began.Hash}, l.git(ctx, l.work, "reset", "--quiet", "--mixed")
}

// returned names the commit of work that was given back.
func (l *landing) returned() string { return "refs/ferrus/returned/" + l.Task }

// rescued names a commit with work that a branch does not have any more.
func (l *landing) rescued() string { return "refs/ferrus/rescued/" + l.Task }

// kept names the last commit of a session on the branch of a task that has landed.
func (l *landing) kept() string { return "refs/ferrus/kept/" + l.Task }
