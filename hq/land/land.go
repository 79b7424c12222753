// Package land commits the approved work of a task and moves the branch forward.
//
// [PlanLanding] says what would land, and where; [Land] does it: it commits what was approved and
// moves the branch forward. A commit is made of tree objects only: what lands is the approved
// tree, or that tree merged with the branch as it is now. If a checkout of the commit is not the
// approved tree, byte for byte, the check commands run on it first. Files of a worktree, the
// history of the task's branch and the repository's settings do not affect it. On a conflict or a
// failed check the task returns to the executor; with [Options.Keep] the landing is rolled back
// instead, and branch, index and files are byte for byte as they were.
//
// One landing at a time holds run/land.lock, and so does each of its git commands,
// which may outlive a killed landing. Each step is written to run/landing.json before
// it is taken. [Recover] completes or rolls back what a killed landing began; Land does
// that first.
//
// Nothing here decides about a task: recording that it landed or was returned is a
// command like any other, through [project.Task.Do].
package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/store"
)

// Options are what the human may choose.
type Options struct {
	Message string // of the commit; empty: as [Plan] has it
	Changes bool   // in the project directory: what was not committed before the task lands too
	Keep    bool   // what does not fit or is red is undone, and does not go back to the executor
	Away    bool   // a plan does not look at what is in the way: the branch is not moved now
	// Tell gets a sentence for each step as it begins; nil: none is reported.
	Tell func(string)
	// Watch is called before the check commands run, with their titles; nil: nothing watches.
	Watch func(commands []string) Watch

	stop func() bool // a test ends the process here: nothing is done any more
}

// Watch is what gets to know how far the check commands of a landing are. What is nil is not
// called.
type Watch struct {
	Progress func(checks.Progress)
	Setup    func(of int, p checks.Progress) // of the setup commands, as in [gate.Options]
	Over     func(gate.Record, error)
}

// Done is a landing that succeeded.
type Done struct {
	Staged string // the item that a merge queue lands later; empty: it has landed
	Pull   string // what lands it, such as "the pull request 7"; empty: the merge queue
	Commit string // that the branch is at now
	Onto   string // branch; empty: none is checked out
	Kept   string // why the worktree is still there; empty: it is gone, or there was none
	// Teardown says why the commands of [hq] teardown failed; empty: they did not.
	Teardown string
}

// RefusedError is a landing that did not begin: nothing has changed.
type RefusedError struct{ What, Fix string }

func (r *RefusedError) Error() string { return "land: " + r.What }

func refuse(fix, format string, args ...any) error {
	return &RefusedError{What: fmt.Sprintf(format, args...), Fix: fix}
}

// FailedError is a landing that began and did not end in a commit on the branch: the branch
// is unchanged.
type FailedError struct {
	What     string // one line: it does not fit onto main: a.go
	Text     string // the hunks, or the report of the checks
	Returned bool   // the executor has it again; otherwise nothing changed
	Judged   bool   // it is Returned, and its reviewer has it instead
}

func (f *FailedError) Error() string { return "land: " + f.What }

// landing is one that is under way. It has more than 12 fields because it is one story, with one record.
type landing struct {
	project *project.Task
	options Options
	record
	lock  *store.Lock
	w     core.World
	past  bool               // the task is archived
	ticks bool               // a milestone was ticked after the approval
	away  bool               // the branch is not moved now, so what is in its way does not matter
	moves bool               // it moves a branch for a merge queue, and has no task
	flow  *workflow.Document // it lands; nil: a task does
	work  git.Repository
	by    core.Actor // the actor that lands a task of the queue; empty: you
	// Why a hook of the repository was not run.
	skipped []string
}

// errStopped ends a test as kill -9 would.
var errStopped = errors.New("stopped")

// Land lands a task; without an id, the one in hand. The error is a [*Refused], a
// [*Failed], or a *store.LockedError while another landing is under way.
func Land(ctx context.Context, p *project.Task, id string, o Options) (Done, error) {
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	lock, err := p.Files.TryLock(project.LandLock)
	if err != nil {
		return Done{}, err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	if _, err := recoverLocked(ctx, p, lock, o.stop); err != nil {
		return Done{}, err
	}
	l, plan, err := open(ctx, p, id, lock, o)
	if err != nil {
		return Done{}, err
	}
	if plan.Off != nil {
		return Done{}, plan.Off
	}
	l.options.Message = cmp.Or(l.options.Message, plan.Message)
	if l.Own {
		return l.landOwn(ctx)
	}
	return l.landHere(ctx)
}

// open reads everything about the task's landing. The lock may be nil for a caller that
// only reads.
func open(ctx context.Context, p *project.Task, id string, lock *store.Lock, o Options) (*landing, Plan, error) {
	l := &landing{project: p, options: o, lock: lock, away: o.Away}
	if err := p.Store.Verify(ctx); err != nil {
		return nil, Plan{}, err
	}
	if err := l.find(ctx, id); err != nil {
		return nil, Plan{}, err
	}
	plan, err := l.plan(ctx)
	return l, plan, err
}

// settings hold for every command of a landing.
var settings = []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "merge.autoStash=false"}

// git does something to a repository. It is never ended half-way: what ctx says comes
// before or after.
func (l *landing) git(ctx context.Context, r git.Repository, args ...string) error {
	if l.stopped() {
		return errStopped
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.in(r).Do(context.WithoutCancel(ctx), append(settings[:len(settings):len(settings)], args...)...)
}

func (l *landing) stopped() bool { return l.options.stop != nil && l.options.stop() }

// in returns git on a repository that keeps the lock for as long as it runs.
func (l *landing) in(r git.Repository) git.Git {
	g := r.Git()
	if l.lock != nil {
		g.Keep = append(g.Keep, l.lock.ExtraFiles()...)
	}
	return g
}

// gitLine returns what git says of a repository.
func gitLine(ctx context.Context, r git.Repository, args ...string) (string, error) {
	return r.Git().Output(ctx, args...)
}

// commitOf returns the commit that a name refers to; empty if there is none.
func commitOf(ctx context.Context, r git.Repository, name string) (string, error) {
	out, err := gitLine(ctx, r, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if f, ok := errors.AsType[*git.Failed](err); ok && f.Exit == 1 {
		return "", nil
	}
	return out, err
}

// landed keeps that the task landed, and takes its worktree away if nothing is lost.
func (l *landing) landed(ctx context.Context) (Done, error) {
	ctx = context.WithoutCancel(ctx)
	d := Done{Commit: l.Tip, Onto: strings.TrimPrefix(strings.TrimPrefix(l.Ref, "refs/heads/"), "HEAD")}
	if err := l.save(stepDone); err != nil {
		return d, err
	}
	if err := l.note(ctx, d); err != nil {
		return d, err
	}
	if l.Own {
		if l.stopped() {
			return d, errStopped
		}
		var fault error
		if d.Kept, d.Teardown, fault = l.clean(ctx); fault != nil {
			d.Kept = fault.Error()
		}
	}
	return d, l.forget()
}
