package land

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/gate"
	"ferrus/hq/worktree"
	"ferrus/ui/text"
)

// landOwn lands from a worktree of the task's own.
func (l *landing) landOwn(ctx context.Context) (Done, error) {
	err := l.integrate(ctx)
	if err == nil {
		err = l.forward(ctx)
	}
	switch failed := (*Failed)(nil); {
	case err == nil:
		return l.landed(ctx)
	case errors.Is(err, errStopped):
		return Done{}, err
	case errors.As(err, &failed) && !l.options.Keep && !l.past:
		l.What, l.Text = failed.What, failed.Text
		return Done{}, l.giveBack(context.WithoutCancel(ctx))
	}
	return Done{}, errors.Join(err, l.undo(context.WithoutCancel(ctx)))
}

// integrate makes the work a commit that stands on the branch, and is proven there.
func (l *landing) integrate(ctx context.Context) (err error) {
	if l.Work, err = l.commit(ctx, l.Head); err != nil {
		return err
	}
	if err := l.keepIndex(l.work); err != nil {
		return err
	}
	if err := l.save(stepCommit); err != nil {
		return err
	}
	if l.Work != l.Head {
		if err := l.move(ctx, l.branch(), l.Work, l.Head); err != nil {
			return err
		}
		if err := l.git(ctx, l.work, "reset", "--quiet", "--mixed"); err != nil {
			return err
		}
	}
	stands, err := contains(ctx, l.work, l.Old, l.Work)
	if err != nil {
		return err
	}
	if stands {
		l.Tip = l.Work
	} else if err := l.rebase(ctx); err != nil {
		return err
	}
	if stands && !l.ticks {
		return nil // It is what was approved, and proven.
	}
	return l.prove(ctx)
}

// branch returns the worktree's branch.
func (l *landing) branch() string { return "refs/heads/" + l.project.Worktree(l.Task).Branch() }

// onto names the branch that moves, for display.
func (l *landing) onto() string { return strings.TrimPrefix(l.Ref, "refs/heads/") }

func (l *landing) rebase(ctx context.Context) error {
	l.options.Tell("rebasing onto " + l.onto())
	if err := l.save(stepRebase); err != nil {
		return err
	}
	if err := l.git(ctx, l.work, "rebase", "--quiet", "--no-stat", l.Old); err != nil {
		killed := (*git.Failed)(nil)
		if worktree.InProgress(l.work) == "" || errors.As(err, &killed) && killed.Exit < 0 {
			return err
		}
		return l.conflict(ctx)
	}
	tip, err := commitOf(ctx, l.work, "HEAD")
	l.Tip = tip
	return err
}

// conflict is a rebase that stopped: which files do not fit, and where.
func (l *landing) conflict(ctx context.Context) error {
	names, err := l.work.Git().List(ctx, "diff", "--name-only", "--diff-filter=U", "-z", "--")
	if err != nil {
		return err
	}
	hunks, err := gitLine(ctx, l.work, "diff", "--no-ext-diff", "--no-textconv", "--diff-filter=U", "--")
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the work does not fit onto %s: %s", l.onto(), checks.JoinPaths(names))
	text := fmt.Sprintf("`%s` has moved on to %.12s, and the change does not fit there:\n\n- %s\n\n```diff\n%s\n```\n",
		l.onto(), l.Old, strings.Join(names, "\n- "), bounded(hunks))
	return &Failed{What: what, Text: text}
}

// hunkBytes bounds the report of a conflict.
const hunkBytes = 32 << 10

func bounded(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if b.Len()+len(l) > hunkBytes {
			b.WriteString("... and more: look for the conflict markers")
			break
		}
		b.WriteString(text.Output(strings.TrimSuffix(l, "\n")) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// prove runs the check commands on the integrated tree.
func (l *landing) prove(ctx context.Context) error {
	l.options.Tell("running the checks on what stands on " + l.onto() + " now")
	if err := l.save(stepGate); err != nil {
		return err
	}
	if l.stopped() {
		return errStopped
	}
	record, err := gate.Force(ctx, l.project, gate.Options{
		Definition: l.w.Task.Definition, Name: fmt.Sprintf("land_%d", time.Now().Unix()), Dir: l.project.Workspace(l.w),
		Base: l.w.Task.Base,
	})
	if err != nil {
		return fmt.Errorf("run the checks on what would land: %w", err)
	}
	if record.Green() {
		return l.compare(ctx, record.Tree.Hash)
	}
	text := fmt.Sprintf("The change stands on %.12s of `%s` now, and there the checks say:\n\n```\n%s\n```\n", l.Old,
		l.onto(), strings.TrimSpace(record.Report))
	return &Failed{What: fmt.Sprintf("red on %s: %s", l.onto(), record.Why), Text: text}
}

// compare refuses a commit that is not the tree that the checks ran on.
func (l *landing) compare(ctx context.Context, proven string) error {
	lands, err := gitLine(ctx, l.work, "rev-parse", "--verify", l.Tip+"^{tree}")
	if err != nil {
		return err
	}
	stored, err := l.project.Work(l.w).Stored(ctx, proven, lands)
	if err == nil && stored != lands {
		err = fmt.Errorf("the checks ran on tree %.12s, and the commit has %.12s: git converted files; look at the "+
			"filters and attributes of the repository", stored, lands)
	}
	return err
}

// forward moves the branch, and the files of the checkout that has it.
func (l *landing) forward(ctx context.Context) error {
	names, err := l.work.Git().List(ctx, "diff", "--name-only", "--no-renames", "-z", l.Old, l.Tip, "--")
	if err != nil {
		return err
	}
	if err := l.clear(ctx, names); err != nil {
		return err
	}
	now, err := commitOf(ctx, l.work, l.Ref)
	if err != nil {
		return err
	}
	if now != l.Old {
		return refuse("land again", "%s moved on while this landed", l.onto())
	}
	target, out, err := checkedOut(ctx, l.work, l.Ref)
	if err != nil {
		return err
	}
	l.options.Tell("moving " + l.onto() + " forward")
	if err := l.save(stepForward); err != nil {
		return err
	}
	if out {
		err = l.merge(ctx, target)
	} else {
		err = l.move(ctx, l.Ref, l.Tip, l.Old)
	}
	if at, _ := commitOf(ctx, l.work, l.Ref); err != nil && !errors.Is(err, errStopped) && at == l.Tip {
		return nil // It moved, whatever was said of it.
	}
	return err
}

// merge moves a branch that is checked out. Git touches nothing where a file of
// anybody is in the way.
func (l *landing) merge(ctx context.Context, target git.Repository) error {
	return l.git(ctx, target, "merge", "--quiet", "--ff-only", "--no-stat", "--no-overwrite-ignore",
		"--no-verify-signatures", l.Tip)
}
