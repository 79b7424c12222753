package land

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/machine/task"
)

// Plan is what would land. It has more than 12 fields because it is the whole answer of
// ferrus land --dry-run --json.
type Plan struct {
	Task    string             `json:"task"`
	Title   string             `json:"title"`
	Onto    string             `json:"onto"`           // branch; empty: none is checked out
	Via     string             `json:"via,omitempty"`  // a pull request; empty: the branch is moved here
	Own     bool               `json:"worktree"`       // from a worktree of its own
	Behind  int                `json:"behind"`         // commits of the branch since the task started
	Lost    string             `json:"lost,omitempty"` // the commit the task started at, which the branch no longer has
	Files   []checks.FilePatch `json:"files"`          // without their patches
	Added   int                `json:"added"`          // lines
	Removed int                `json:"removed"`
	Verdict checks.Verdict     `json:"verdict"` // of the gate on what was approved
	Tree    string             `json:"tree"`
	Alarms  []core.Alarm       `json:"alarms,omitempty"`
	Message string             `json:"message"`
	Why     string             `json:"why,omitempty"` // in words: why it cannot land now
	Off     error              `json:"-"`             // the same: a [*Refused]
}

// PlanLanding says what would land; without an id, of the task in hand. It changes nothing.
// It fails where the task cannot be read; why it cannot land is in the plan.
func PlanLanding(ctx context.Context, p *project.Task, id string, o Options) (Plan, error) {
	_, plan, err := open(ctx, p, id, nil, o)
	return plan, err
}

// plan reads everything, and keeps what a landing needs to know.
func (l *landing) plan(ctx context.Context) (Plan, error) {
	t := l.w.Task
	plan := Plan{Task: t.ID, Title: t.Title, Own: t.Workspace != nil, Files: []checks.FilePatch{}}
	l.Own = plan.Own
	err := l.approved()
	if err == nil {
		err = l.readyWorkflow(ctx)
	}
	if err == nil {
		if err = l.describe(ctx, &plan); err == nil {
			err = l.ready(ctx, &plan)
		}
	}
	if off, ok := errors.AsType[*RefusedError](err); ok {
		plan.Off, plan.Why = off, off.What
		return plan, nil
	}
	return plan, err
}

const notApproved = "the task is %s, and only an approved one lands"

// approved refuses work that is not approved, and work that has landed.
func (l *landing) approved() error {
	t := l.w.Task
	switch {
	case t.Landed != nil:
		return refuse("nothing is left to do", "%s has landed: it is %.12s%s", t.ID, t.Landed.Commit,
			on(t.Landed.Onto))
	case l.w.State != task.Complete && l.past:
		return refuse("commit it by hand", "%s was archived without an approval", t.ID)
	case l.w.State == task.Failed:
		return refuse("ferrus retry continues it, ferrus reset archives it", notApproved, l.w.State)
	case l.w.Hold != nil && l.w.IsOpen():
		return refuse("ferrus resume, then ferrus run continues it", notApproved+"; it is on hold (%s)", l.w.State,
			l.w.Hold.Reason)
	case l.w.State != task.Complete || l.w.Submission == nil:
		return refuse("wait until it is approved; ferrus status shows where it is", notApproved, l.w.State)
	}
	return nil
}

func on(branch string) string {
	if branch == "" {
		return ""
	}
	return " on " + branch
}

// describe fills in what the human wants to see of it.
func (l *landing) describe(ctx context.Context, plan *Plan) (err error) {
	s := l.w.Submission
	plan.Tree, plan.Alarms = s.Tree, s.Alarms
	for _, a := range slices.Concat(l.project.RecordAlarms(), l.project.UnaskedAlarms(ctx, l.w, s.Tree)) {
		if !slices.ContainsFunc(s.Alarms, func(b core.Alarm) bool { return a.Path == b.Path && a.Words == b.Words }) {
			plan.Alarms = append(plan.Alarms, a)
		}
	}
	if l.w.Gate != nil {
		plan.Verdict = l.w.Gate.Verdict
	}
	if plan.Message, err = l.message(); err != nil || l.w.Task.Base.Tree == "" {
		return err
	}
	base := l.w.Task.Base.Tree
	if l.options.Changes && !l.Own { // What was uncommitted before the task lands, too.
		home, err := l.repository()
		if err != nil {
			return err
		}
		if _, _, base, err = home.Present(ctx); err != nil {
			return err
		}
		if base == "" { // the branch has no commit yet
			base = git.EmptyTreeLike(s.Tree)
		}
	}
	plan.Files, err = l.project.Repo().Patch(ctx, base, s.Tree)
	if errors.Is(err, git.ErrMissing) { // Something removed what ferrus has hashed; the files may still be there.
		if present, failed := l.project.Work(l.w).Tree(ctx); failed == nil && present.Hash == s.Tree {
			plan.Files, err = l.project.Repo().Patch(ctx, base, s.Tree)
		}
	}
	for i := range plan.Files {
		plan.Files[i].Patch = ""
		plan.Added, plan.Removed = plan.Added+plan.Files[i].Added, plan.Removed+plan.Files[i].Removed
	}
	return err
}

// ready finds where the work is and where it goes, and what is in the way.
func (l *landing) ready(ctx context.Context, plan *Plan) (err error) {
	if l.work, err = l.repository(); err != nil {
		return refuse("ferrus doctor shows what exists", "the task's worktree is gone: %v", err)
	}
	l.Dir = l.work.Top
	if l.Own && !l.work.Linked() {
		return refuse("ferrus doctor shows what exists", "the task's worktree is gone")
	}
	if err := l.goal(ctx, plan); err != nil {
		return err
	}
	if err := worktree.CheckIdentity(ctx, l.work); err != nil {
		return refuse("", "%v", err)
	}
	if what := worktree.InProgress(l.work); what != "" {
		return refuse("finish or abort it, then land", "%s is in progress in %s", what, l.Dir)
	}
	if _, err := l.same(ctx); err != nil {
		return err
	}
	if l.Own {
		return l.readyOwn(ctx, plan)
	}
	return l.readyHere(ctx, plan)
}

// repository returns the repository that has the work.
func (l *landing) repository() (git.Repository, error) {
	home, err := git.Locate(l.project.Dir)
	if err != nil || !l.Own {
		return home, err
	}
	return home.Worktree(l.project.Worktree(l.Task).Top())
}

// goal finds the branch that moves.
func (l *landing) goal(ctx context.Context, plan *Plan) (err error) {
	if l.Own {
		plan.Onto = l.w.Task.Workspace.From
		if plan.Onto == "" {
			return refuse("merge "+l.w.Task.Workspace.Branch+" by hand",
				"no branch was checked out when the task started, so there is no branch to land on")
		}
		l.Ref = "refs/heads/" + plan.Onto
	} else if plan.Onto, err = worktree.Branch(ctx, l.work); err != nil {
		return err
	} else if plan.Onto != "" {
		l.Ref = "refs/heads/" + plan.Onto
	} else {
		l.Ref = "HEAD"
	}
	if l.Old, err = commitOf(ctx, l.work, l.Ref); err != nil {
		return err
	}
	if l.Head, err = commitOf(ctx, l.work, "HEAD"); err != nil {
		return err
	}
	if l.Own && l.Old == "" {
		return refuse("recreate it, or merge "+l.w.Task.Workspace.Branch+" by hand",
			"the branch %s, which the task came from, is gone", plan.Onto)
	}
	return nil
}

// same returns the tree that lands, and refuses files that changed since the approval.
func (l *landing) same(ctx context.Context) (string, error) {
	tree, err := l.project.Work(l.w).Tree(ctx)
	if err != nil {
		return "", err
	}
	if tree.Hash == l.w.Submission.Tree && len(tree.Problems) == 0 {
		return tree.Hash, nil
	}
	if len(tree.Problems) == 0 {
		if l.ticks, err = l.ticked(ctx, tree.Hash); l.ticks || err != nil {
			return tree.Hash, err
		}
	}
	what := strings.Join(tree.Problems, "; ")
	if what == "" {
		// Without names it is refused as well.
		names, _ := l.project.Work(l.w).Changed(ctx, l.w.Submission.Tree, tree.Hash)
		what = checks.JoinPaths(names)
	}
	return "", refuse("undo the change, or commit by hand what you want",
		"files changed since the approval: %s", what)
}

// readyOwn is about a worktree of the task's own.
func (l *landing) readyOwn(ctx context.Context, plan *Plan) error {
	if err := git.RequireMergeTree(ctx); err != nil {
		return refuse("install git 2.38 or newer", "%v", err)
	}
	have, err := worktree.Branch(ctx, l.work)
	if err != nil {
		return err
	}
	if have != l.w.Task.Workspace.Branch {
		return refuse("git -C "+l.Dir+" switch "+l.w.Task.Workspace.Branch, "the worktree has %q checked out, not %s",
			have, l.w.Task.Workspace.Branch)
	}
	if err := l.since(ctx, plan); err != nil {
		return err
	}
	if l.away {
		return nil
	}
	var names []string
	for _, f := range plan.Files {
		names = append(names, f.Path)
	}
	return l.clear(ctx, names)
}

// since counts the commits that the branch got after the task started. In your checkout a session may have made them,
// and may even have replaced those before.
func (l *landing) since(ctx context.Context, plan *Plan) error {
	start := l.start()
	if start == "" || l.Old == "" || start == l.Old {
		return nil
	}
	if has, err := l.work.IsAncestor(ctx, start, l.Old); !l.Own && (err != nil || !has) {
		plan.Lost = start
		return nil //nolint:nilerr // not even the commit is there
	}
	ahead, err := l.work.Git().List(ctx, "log", "-z", "--format=%h", start+".."+l.Old, "--")
	plan.Behind = len(ahead)
	return err
}

// clear refuses where the branch is checked out and uncommitted changes are in the way.
func (l *landing) clear(ctx context.Context, names []string) error {
	target, out, err := checkedOut(ctx, l.work, l.Ref)
	if err != nil || !out {
		return err
	}
	if what := worktree.InProgress(target); what != "" {
		return refuse("finish or abort it, then land", "%s is in progress in %s", what, target.Top)
	}
	if err := l.clearOfTask(target); err != nil {
		return err
	}
	if lock := indexLock(target); isThere(lock) {
		return refuse("wait for it to end; if no git command runs, remove the file, then land",
			"a git command has locked the index: %s exists", lock)
	}
	dirty, err := status(ctx, target)
	if err != nil {
		return err
	}
	var way []string
	for _, d := range dirty {
		if slices.Contains(names, d.name) {
			way = append(way, d.name)
		}
	}
	if len(way) > 0 {
		return refuse("commit or stash them, then land", "uncommitted changes in %s are in the way: %s", target.Top,
			checks.JoinPaths(way))
	}
	return nil
}

// clearOfTask refuses to move a checkout in which another task works.
func (l *landing) clearOfTask(target git.Repository) error {
	if !l.project.HasDirectory() && !l.moves {
		return nil
	}
	home, err := git.Locate(l.project.Dir)
	if err != nil || home.Top != target.Top {
		return err
	}
	state, err := l.project.Main().World()
	if err != nil {
		return err
	}
	if w := state.World; w.IsOpen() && w.Task != nil && w.Task.Workspace == nil {
		return refuse("wait for it to end, then land", "%q works in this checkout", w.Task.Title)
	}
	return nil
}

// entry is one line of git status.
type entry struct {
	staged, unstaged byte // ' ' is unchanged, '?' is new
	name             string
}

// status returns what differs in a checkout from its commit.
func status(ctx context.Context, r git.Repository) (all []entry, err error) {
	err = r.Git().Each(ctx, func(text string) {
		if len(text) > 3 && !strings.HasPrefix(text[3:], ".ferrus/") && !strings.Contains(text[3:], "/.ferrus/") {
			all = append(all, entry{text[0], text[1], text[3:]})
		}
	}, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
	return all, err
}

// checkedOut finds the worktree that has a branch checked out. The error is a [*Refused] where one rebases it: git has
// it detached until then, and ends with an error where the branch moved meanwhile.
func checkedOut(ctx context.Context, r git.Repository, ref string) (target git.Repository, out bool, err error) {
	text, err := r.Places().Output(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return target, false, err
	}
	dir := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if at, ok := strings.CutPrefix(l, "worktree "); ok {
			dir = at
		}
		if l == "branch "+ref {
			if target, err = git.Locate(dir); err != nil || target.Top != dir {
				return target, false, refuse("git worktree prune, then land", "%s is checked out in %s, which is gone",
					strings.TrimPrefix(ref, "refs/heads/"), dir)
			}
			if !sameFile(target.Common, r.Common) {
				return target, false, refuse("git worktree repair, then land",
					"the .git of %s names another repository: %s", dir, target.Common)
			}
			return target, true, nil
		}
		if l != "detached" {
			continue
		}
		if detached, err := git.Locate(dir); err == nil && worktree.Rebases(detached, ref) {
			return target, false, refuse("finish or abort it, then land", "a rebase of %s is under way in %s",
				strings.TrimPrefix(ref, "refs/heads/"), dir)
		}
	}
	return target, false, nil
}

// sameFile reports whether two paths are of one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, also := os.Stat(b)
	return err == nil && also == nil && os.SameFile(one, other)
}
