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
	"ferrus/store"
	"ferrus/ui/text"
)

// landOwn lands from a worktree of the task's own.
func (l *landing) landOwn(ctx context.Context) (Done, error) {
	err := l.integrate(ctx)
	if err == nil {
		err = l.forward(ctx)
	}
	switch failed := (*FailedError)(nil); {
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

// integrate makes a commit of the branch and what the work changed, proven as a whole. No
// branch has it yet. What was committed on the task's branch is not read: its history says
// nothing of what was approved.
func (l *landing) integrate(ctx context.Context) error {
	if err := l.save(stepCommit); err != nil {
		return err
	}
	m, base, err := l.mergeWork(ctx)
	if err != nil {
		return err
	}
	if len(m.Conflicts) > 0 {
		return l.conflict(m)
	}
	tree, err := tick(ctx, l.project.Work(l.w), l.w.TaskSpec, l.w.TaskMilestone, m.Tree)
	if err != nil {
		return err
	}
	return l.prepareTip(ctx, tree, base)
}

// mergeWork applies what the task changed of the commit that it started from to the branch. It
// also stores the work as a commit, which no branch has, and returns the tree of that start.
func (l *landing) mergeWork(ctx context.Context) (m checks.Merge, base string, err error) {
	if base, err = l.treeOf(ctx, l.start()); err != nil {
		return m, base, err
	}
	onto, err := l.treeOf(ctx, l.Old)
	if err != nil {
		return m, base, err
	}
	repo := l.project.Work(l.w)
	work, err := repo.Stored(ctx, l.w.Submission.Tree, base)
	if err != nil {
		return m, base, err
	}
	if l.Work, err = l.commit(ctx, work, l.Head); err != nil {
		return m, base, err
	}
	m, err = repo.Merge(ctx, base, onto, work)
	return m, base, err
}

// start returns the commit of the branch that the task started from.
func (l *landing) start() string {
	if b := l.w.Task.Base; b.Start != "" {
		return b.Start
	}
	return l.w.Task.Base.Commit
}

// prepareTip makes the commit that lands of a tree, as git stores it. Base is the tree that
// the work began with. Where a checkout of it is not the tree that was approved, the checks
// run on that checkout.
func (l *landing) prepareTip(ctx context.Context, tree, base string) (err error) {
	onto, err := l.treeOf(ctx, l.Old)
	if err != nil {
		return err
	}
	repo := l.project.Work(l.w)
	if tree, err = repo.Stored(ctx, tree, onto); err != nil {
		return err
	}
	if l.Tip = l.Old; tree != onto {
		if l.Tip, err = l.commitTip(ctx, tree); err != nil {
			return err
		}
		if err := readBack(ctx, l.work, l.Tip, tree, l.Old); err != nil {
			return err
		}
	}
	lands, err := repo.CheckedOut(ctx, tree, l.w.Submission.Tree, base)
	if pointer := (*checks.PointerError)(nil); errors.As(err, &pointer) {
		return refuse("have the task checked again with the content in its place (git lfs pull)", "%v, so the checks "+
			"ran on other bytes than a checkout has", pointer)
	}
	if err != nil || lands == l.w.Submission.Tree && l.flow == nil { // what a workflow made has no verdict of its own
		return err
	}
	return l.prove(ctx, lands)
}

// readBack reads the commit that lands from the repository, and compares it with what it was
// made of.
func readBack(ctx context.Context, r git.Repository, commit, tree, parent string) error {
	text, err := r.Git().Object(ctx, "commit", commit)
	if err != nil {
		return fmt.Errorf("read what would land: %w", err)
	}
	head, _, _ := strings.Cut(string(text), "\nauthor ")
	want := "tree " + tree
	if parent != "" {
		want += "\nparent " + parent
	}
	if head != want {
		return fmt.Errorf("read what would land: commit %.12s is not tree %.12s on top of %.12s", commit, tree, parent)
	}
	return nil
}

// onto names the branch that moves, for display.
func (l *landing) onto() string { return strings.TrimPrefix(l.Ref, "refs/heads/") }

// conflict says which files do not fit, and where.
func (l *landing) conflict(m checks.Merge) error {
	what := fmt.Sprintf("the work conflicts with %s: %s", l.onto(), checks.JoinPaths(m.Conflicts))
	c := Conflict{Files: m.Conflicts, Hunks: m.Hunks}
	return &FailedError{What: what, Text: c.Describe(l.onto(), l.Old)}
}

// hunkBytes bounds the report of a conflict.
const hunkBytes = 32 << 10

// Bounded returns the beginning of the hunks of a conflict, as they are shown.
func Bounded(s string) string {
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

// prove runs the check commands on a tree.
func (l *landing) prove(ctx context.Context, tree string) error {
	l.options.Tell("running the checks on what lands on " + l.onto())
	if err := l.save(stepGate); err != nil {
		return err
	}
	if l.stopped() {
		return errStopped
	}
	o := gate.Options{
		Definition: l.w.Task.Definition, Name: fmt.Sprintf("land_%d", time.Now().Unix()), Dir: l.project.Workspace(l.w),
		Base: l.w.Task.Base, Tree: tree,
	}
	var watch Watch
	if l.options.Watch != nil && o.Definition != nil {
		watch = l.options.Watch(o.Definition.Titles())
		o.Progress, o.Setup = watch.Progress, watch.Setup
	}
	record, err := l.runGate(ctx, o)
	if watch.Over != nil {
		watch.Over(record, err)
	}
	switch {
	case err != nil:
		return fmt.Errorf("run the checks on what would land: %w", err)
	case record.Green() && record.Tree.Hash == tree:
		return nil
	case record.Verdict == checks.Flaky:
		if err := l.project.AcceptVerdicts(tree); err != nil {
			return err
		}
		return refuse("land again to check it again", "%s", record.Why)
	case record.Verdict != checks.Fail && record.Verdict != checks.Timeout:
		return refuse("fix the cause, then land again", "the checks could not run on the result: %s",
			record.Why)
	}
	words := fmt.Sprintf("The change is on %.12s of `%s` now, where the checks say:\n\n%s\n", l.Old, l.onto(),
		text.Fence("", strings.TrimSpace(record.Report)))
	return &FailedError{What: fmt.Sprintf("the checks failed on %s: %s", l.onto(), record.Why), Text: words}
}

// gateRetry is how often it is tried to run the checks while another gate runs.
const gateRetry = 200 * time.Millisecond

// runGate runs the checks, once no other gate of the project runs.
func (l *landing) runGate(ctx context.Context, o gate.Options) (gate.Record, error) {
	for notified := false; ; notified = true {
		record, err := gate.Force(ctx, l.project, o)
		if !l.project.HasDirectory() || !errors.As(err, new(*store.LockedError)) {
			return record, err
		}
		if !notified {
			l.options.Tell("waiting for another gate")
		}
		select {
		case <-ctx.Done():
			return record, ctx.Err()
		case <-time.After(gateRetry):
		}
	}
}

// forward moves the branch, and the files of the checkout that has it.
func (l *landing) forward(ctx context.Context) error {
	names, err := l.movedFiles(ctx)
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
		return refuse("land again", "%s moved during the landing", l.onto())
	}
	target, out, err := checkedOut(ctx, l.work, l.Ref)
	if err != nil {
		return err
	}
	l.options.Tell("moving " + l.onto() + " forward")
	if !l.moves { // a merge queue has recorded it
		if err := l.save(stepForward); err != nil {
			return err
		}
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

// movedFiles returns the files that differ between the branch and what it is moved to.
func (l *landing) movedFiles(ctx context.Context) ([]string, error) {
	return l.work.Git().List(ctx, "diff-tree", "-r", "--name-only", "--no-renames", "-z", l.Old, l.Tip, "--")
}

// merge moves a branch that is checked out. Git touches nothing where a file of
// anybody is in the way.
func (l *landing) merge(ctx context.Context, target git.Repository) error {
	sparse, err := target.Sparse(ctx)
	if err != nil {
		return err
	}
	return l.git(ctx, target, append(sparse, "merge", "--quiet", "--ff-only", "--no-stat", "--no-overwrite-ignore",
		"--no-verify-signatures", l.Tip)...)
}
