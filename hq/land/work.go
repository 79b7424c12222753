package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/commit"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

// Work is the approved work of a task in a worktree of its own, for a merge queue.
type Work struct {
	Plan   Plan
	Base   string // tree that it began with, as git stores it
	Commit string // of the approved tree, on the commit that it began with; a ref keeps it
	World  core.World
	// Skipped says why a hook of the repository was not run, one line each.
	Skipped []string
}

// Approved commits the approved work of a task with a directory of its own, under a ref of ferrus's. No
// branch moves. Away says that the branch is not to be moved now, so that it does not matter what is
// in the way there. The error is a [*Refused] where it cannot land.
func Approved(ctx context.Context, t *project.Task, o Options, away bool) (Work, error) {
	l := &landing{project: t, options: o, away: away}
	if err := t.Store.Verify(ctx); err != nil {
		return Work{}, err
	}
	if err := l.find(ctx, ""); err != nil {
		return Work{}, err
	}
	plan, err := l.plan(ctx)
	if err != nil && l.hashAgain(ctx) {
		plan, err = l.plan(ctx)
	}
	if err == nil && plan.Off != nil {
		err = plan.Off
	}
	if err != nil {
		return Work{}, err
	}
	l.options.Message = cmp.Or(l.options.Message, plan.Message)
	w := Work{Plan: plan, World: l.w}
	if w.Base, err = l.treeOf(ctx, l.start()); err != nil {
		return w, err
	}
	tree, err := l.project.Work(l.w).Stored(ctx, l.w.Submission.Tree, w.Base)
	if err != nil {
		return w, err
	}
	start := l.start()
	if err := l.word(ctx, commit.Draft{Branch: plan.Onto, Parent: start, Tree: tree}); err != nil {
		return w, err
	}
	w.Skipped = l.skipped
	if w.Commit, err = worktree.Commit(ctx, l.work, tree, l.options.Message, start); err != nil {
		return w, err
	}
	return w, l.git(ctx, l.work, "update-ref", stagedRef(l.Task), w.Commit)
}

// hashAgain reads the worktree, and reports that it is what was approved: what ferrus had kept of that tree, and has
// lost, is there again.
func (l *landing) hashAgain(ctx context.Context) bool {
	tree, err := l.project.Work(l.w).Tree(ctx)
	return err == nil && l.w.Submission != nil && tree.Hash == l.w.Submission.Tree
}

// stagedRef names the ref that keeps the approved work of a task until it has landed.
func stagedRef(task string) string { return "refs/ferrus/staged/" + task }

// Conflict is a conflict of approved work with a commit.
type Conflict struct {
	Files []string
	Hunks string
}

func (c *Conflict) Error() string { return "it conflicts in " + checks.JoinPaths(c.Files) }

// Describe lists the conflicts with a commit of a branch, for the executor.
func (c *Conflict) Describe(branch, commit string) string {
	return fmt.Sprintf("`%s` has moved to %.12s, and the change conflicts with it:\n\n%s\n\n%s\n", branch, commit,
		text.Bullets(c.Files), text.Fence("diff", Bounded(c.Hunks)))
}

// Change is what a candidate adds to the commit below it.
type Change struct {
	Base, Work      string // trees as git stores them: before and after the work
	Tree            string // that was approved, as the checks read it
	Message         string
	Spec, Milestone string // whose box is ticked; empty: none
	// Of files in which both sides of a conflict are kept.
	Union []string
}

// Candidate is a commit of a branch with the work of one or more tasks.
type Candidate struct {
	Commit string
	Tree   string // as the checks read it
	// Trees as git stores them: below the change, and with it but without the ticked milestone.
	Below, Merged string
	Union         []string // files in which both sides of a conflict were kept
}

// Build makes the commit of a change on another one. It writes objects alone, and no branch or ref
// has them. The error is a [*Conflict] where the change does not fit.
func Build(ctx context.Context, p *project.Project, onto string, c Change) (made Candidate, err error) {
	home, err := git.Locate(p.Dir)
	if err != nil {
		return made, err
	}
	repo := p.Repo()
	below, err := home.Git().TreeOf(ctx, onto)
	if err != nil {
		return made, err
	}
	m, err := repo.Merge(ctx, c.Base, below, c.Work)
	if err != nil {
		return made, err
	}
	if len(m.Conflicts) > 0 {
		kept, err := union(ctx, repo, c, below, m)
		if err != nil {
			return made, err
		}
		if kept == "" {
			return made, &Conflict{Files: m.Conflicts, Hunks: m.Hunks}
		}
		m.Tree, made.Union = kept, m.Conflicts
	}
	made.Below, made.Merged = below, m.Tree
	tree, err := tick(ctx, repo, c.Spec, c.Milestone, m.Tree)
	if err != nil {
		return made, err
	}
	if tree, err = repo.Stored(ctx, tree, below); err != nil {
		return made, err
	}
	if made.Commit = onto; tree != below {
		if made.Commit, err = worktree.Commit(ctx, home, tree, c.Message, onto); err != nil {
			return made, err
		}
		if err := readBack(ctx, home, made.Commit, tree, onto); err != nil {
			return made, err
		}
	}
	made.Tree, err = repo.CheckedOut(ctx, tree, c.Tree, c.Base)
	return made, err
}

// Move is a branch that has to move forward.
type Move struct {
	Main     *project.Task // whose record is .ferrus
	Branch   string
	Old, Tip string
	Lock     *store.Lock // that every git command of it holds; nil: none
	stop     func() bool
}

// landing returns the move as a landing of no task.
func (m Move) landing() (*landing, error) {
	home, err := git.Locate(m.Main.Dir)
	l := &landing{project: m.Main, lock: m.Lock, work: home, moves: true,
		record: record{Task: "merge", Step: stepForward, Own: true, Ref: "refs/heads/" + m.Branch, Old: m.Old,
			Tip: m.Tip}}
	l.options.stop, l.options.Tell = m.stop, func(string) {}
	return l, err
}

// StopWhen returns the move that a test ends before a step, as kill -9 would.
func (m Move) StopWhen(stop func() bool) Move {
	m.stop = stop
	return m
}

// IsStopped reports whether a test ended a move or a return.
func IsStopped(err error) bool { return errors.Is(err, errStopped) }

// CheckedOut returns the top of the worktree that has the branch checked out; empty: none has.
func (m Move) CheckedOut(ctx context.Context) (string, error) {
	l, err := m.landing()
	if err != nil {
		return "", err
	}
	target, out, err := checkedOut(ctx, l.work, l.Ref)
	if err != nil || !out {
		return "", err
	}
	return target.Top, nil
}

// Barred returns why git must not move the branch where it is checked out, in words; empty: nothing is
// in the way.
func (m Move) Barred(ctx context.Context) (string, error) {
	l, err := m.landing()
	if err != nil {
		return "", err
	}
	names, err := l.movedFiles(ctx)
	if err == nil {
		err = l.clear(ctx, names)
	}
	if off := (*RefusedError)(nil); errors.As(err, &off) {
		return off.What, nil
	}
	return "", err
}

// Forward moves the branch and the files of the checkout that has it, all or nothing. The error is a
// [*Refused] where something is in the way.
func (m Move) Forward(ctx context.Context) error {
	l, err := m.landing()
	if err != nil {
		return err
	}
	return l.forward(ctx)
}

// Undo takes back what a git command that was killed left in the checkout of the branch.
func (m Move) Undo(ctx context.Context) error {
	l, err := m.landing()
	if err != nil {
		return err
	}
	return l.unmerge(ctx)
}

// Head returns the commit of the branch; empty: there is none.
func (m Move) Head(ctx context.Context) (string, error) {
	l, err := m.landing()
	if err != nil {
		return "", err
	}
	return commitOf(ctx, l.work, l.Ref)
}

// Contains reports whether the branch contains the tip, or did: then you took it away again.
func (m Move) Contains(ctx context.Context) (bool, error) {
	l, err := m.landing()
	if err != nil {
		return false, err
	}
	head, err := commitOf(ctx, l.work, l.Ref)
	if err != nil || head == "" {
		return false, err
	}
	if in, err := l.work.IsAncestor(ctx, m.Tip, head); in || err != nil {
		return in, err
	}
	past, err := l.work.Git().Output(ctx, "reflog", "show", "--format=%H", l.Ref, "--")
	if err != nil {
		return false, nil //nolint:nilerr // a branch without a reflog never had it, as far as git knows
	}
	for line := range strings.Lines(past) {
		if strings.TrimSpace(line) == m.Tip {
			return true, nil
		}
	}
	return false, nil
}

// Return gives approved work back to the executor of a task, uncommitted on a commit of the branch, or of a ref
// that is named in full.
// It reports that the task continues, also if it has done so before.
func Return(ctx context.Context, t *project.Task, branch, what, words string, stop func() bool) error {
	l, err := returning(ctx, t, branch, stop)
	if err != nil || l == nil {
		return err
	}
	l.What, l.Text = what, words
	return l.handBack(context.WithoutCancel(ctx))
}

// returning returns approved work that is given back; nil: the task continues already.
func returning(ctx context.Context, t *project.Task, branch string, stop func() bool) (*landing, error) {
	ref := "refs/heads/" + branch
	if strings.HasPrefix(branch, "refs/") { // what was fetched of a branch
		ref = branch
	}
	l := &landing{project: t, record: record{Own: true, Ref: ref}}
	l.options.Tell, l.options.stop = func(string) {}, stop
	if s, err := t.World(); err != nil || s.World.Task == nil { // you reset it
		return nil, err
	}
	if err := l.find(ctx, ""); err != nil {
		return nil, err
	}
	if l.w.State != task.Complete || l.w.Task.Landed != nil {
		return nil, nil //nolint:nilnil // there is nothing to give back, and nothing is wrong
	}
	work, err := l.repository()
	if err != nil {
		return nil, fmt.Errorf("return the work of %s: %w", l.Task, err)
	}
	l.work, l.Dir = work, work.Top
	if l.options.Message, err = l.message(); err != nil {
		return nil, err
	}
	if l.Old, err = commitOf(ctx, l.work, l.Ref); err != nil {
		return nil, err
	}
	l.Head, err = commitOf(ctx, l.work, "HEAD")
	return l, err
}

// Judgement is an approved change that is a different one on the branch as it is now.
type Judgement struct {
	Branch string
	Onto   string // commit of the branch that the change is on now
	Commit string // the candidate: the change on that commit
	Tree   string // of the candidate, as the checks read it
	Text   string // for the reviewer; its first line says what is different
	Record gate.Record
}

// Rejudge puts approved work onto a commit of the branch, uncommitted, and has its reviewer judge it there
// again. It reports that the task continues, also if it has done so before. Where the worktree does not hold
// what the checks passed on, the executor gets it instead.
func Rejudge(ctx context.Context, t *project.Task, j Judgement, stop func() bool) error {
	l, err := returning(ctx, t, j.Branch, stop)
	if err != nil || l == nil {
		return err
	}
	l.Old = j.Onto
	l.What, l.Text, _ = strings.Cut(j.Text, "\n")
	base, err := l.place(ctx, j.Commit)
	if err != nil {
		return err
	}
	tree, err := l.project.Work(l.w).Tree(ctx)
	switch {
	case err != nil:
		return err
	case tree.Hash != j.Tree || len(tree.Problems) > 0:
		return l.handBack(ctx)
	case l.stopped():
		return errStopped
	}
	return l.rejudge(ctx, base, j)
}

// rejudge returns the task to review, with the gate's findings and the alarms of the new tree.
func (l *landing) rejudge(ctx context.Context, base core.Base, j Judgement) error {
	s, err := l.project.World()
	if err != nil {
		return err
	}
	ticket := s.Seq + 1
	if err := gate.Save(l.project, ticket, j.Record); err != nil {
		return err
	}
	w, changed, made := s.World, *s.World.Task, core.Submission{Tree: j.Tree, Ticket: ticket}
	changed.Base = base
	w.Task, w.State, w.Submission = &changed, task.Reviewing, &made
	_, err = l.project.Do(ctx, store.Call{}, core.Command{Kind: core.KindRejudge, By: project.FerrusActor(),
		Seq: s.Seq, Text: j.Text,
		Gate:  &core.GateResult{Verdict: j.Record.Verdict, Tree: j.Tree, Log: j.Record.Log},
		Facts: core.Facts{Base: base, Alarms: l.project.ReviewAlarms(ctx, w, j.Tree)}})
	return err
}
