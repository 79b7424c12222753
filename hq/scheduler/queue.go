package scheduler

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/conductor/accounts"
	"ferrus/hq/fleet"
	"ferrus/hq/guest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

// taskQueue gives the tasks that wait in the queue their turn, off the loop: one goroutine goes
// through the queue, and each task begins on its own, so a slow one delays no other. It has more than
// 12 fields because it is all that the loop keeps of the queue.
type taskQueue struct {
	main     *conductor.Conductor // of the project
	project  *project.Task
	tasks    *tasks
	accounts *accounts.Limits
	record   *queue.Queue // nil: not opened yet
	merges   *mergeRun
	fleet    *fleet.Fleet
	workers  atomic.Uint64 // how often a worker was connected, or lost
	guests   guest.Admission
	doc      queue.Document // as the last look found it
	rows     []queue.Row
	running  bool           // a look at the queue is under way
	begin    map[int]string // by the number of an item whose task is being made: what is copied for it
	lookTimes
}

// newQueue returns the queue of a project, with the conductors of its tasks.
func newQueue(p *project.Task, t *tasks) *taskQueue {
	main := t.main
	q := &taskQueue{main: main, project: p, tasks: t, accounts: &main.Shared.Accounts, begin: map[int]string{}}
	q.fleet = fleet.New(p, t.options.Ferrus, func() {
		q.workers.Add(1)
		main.Loop.Post(func() {})
	})
	q.guests.Go = main.Loop.Go
	q.merges = &mergeRun{project: p, fleet: q.fleet, line: &main.Shared.Gates, changed: main.NotifyChanged}
	return q
}

// lookTimes say when the queue is looked at.
type lookTimes struct {
	seen  queueFacts  // of the last look
	again *time.Timer // until it is looked at again without a change; nil: it is not
}

// The queue is looked at again, even if nothing changed, after an error and while a task waits for what changes without
// notice.
const (
	queueRetry   = 2 * time.Second
	pollInterval = 10 * time.Second
	mergeRetry   = 2 * time.Second // while a batch is open: another process may move the branch
)

// queueFacts are what a look at the queue depends on.
type queueFacts struct {
	conductor.Facts
	claims  int    // accounts that were found to be used up
	tasks   uint64 // how often the state of a task with a directory of its own has changed
	workers uint64 // how often a worker was connected, or lost
	begun   int    // how many tasks are being made
	size    int64
	written time.Time
}

// Reconcile looks at the queue if something changed since the last look.
func (q *taskQueue) Reconcile() {
	if q.project.HasDirectory() {
		return
	}
	cfg := q.main.Config()
	q.main.Shared.Gates.SetLimit(cfg.Limits.MaxParallelGates)
	q.main.ShowError(q.guests.Reconcile(q.main.Loop.Context, q.project, cfg))
	if q.running {
		return
	}
	info, err := os.Stat(q.project.Store.Path(queue.Dir, "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return // nothing was ever queued
	}
	now := queueFacts{Facts: q.main.Facts(), tasks: q.tasks.changes.Load(), workers: q.workers.Load(),
		begun: len(q.begin), claims: len(q.accounts.Unrecorded())}
	if err == nil {
		now.size, now.written = info.Size(), info.ModTime()
	}
	if now == q.seen {
		return
	}
	q.running, q.seen = true, now
	record := q.record
	q.main.Loop.Go(func() {
		found, err := q.advance(record, now)
		q.main.Loop.Post(func() { q.advanced(found, err) })
	})
}

// found is what a look at the queue leads to.
type found struct {
	record *queue.Queue
	rows   []queue.Row
	merge  mergeNext
	freed  []string  // agents whose accounts are to be tried again
	again  time.Time // when to look at the queue again even if nothing changes; zero: not needed
}

// advance takes the steps that the queue is due, and starts and ends the conductors of tasks.
func (q *taskQueue) advance(record *queue.Queue, now queueFacts) (f found, err error) {
	if f.record = record; record == nil {
		if f.record, err = queue.Open(q.project); err != nil {
			return f, err
		}
	}
	c := queue.ConditionsOf(q.project)
	c.Busy, c.Workers = now.Busy, q.fleetWorkers()
	c.Lives = func(task string) bool {
		if task == "" {
			return now.Lives
		}
		return q.tasks.pause(task)
	}
	c.Begin = func(i queue.Item) { q.main.Loop.Post(func() { q.start(f.record, i) }) }
	for _, a := range q.accounts.Unrecorded() {
		err = errors.Join(err, f.record.UseUp(q.main.Loop.Context, a))
	}
	if err == nil {
		err = q.steps(&f, c)
	}
	if f.rows, err = rowsAfter(f.record, c, err); err != nil && f.rows == nil {
		return f, err
	}
	f.refuse()
	if err == nil {
		err = f.follow(q.accounts)
	}
	q.fleet.Forget(q.main.Loop.Context, f.rows)
	for _, row := range f.rows {
		if row.Dir != "" && (row.Task != "" || q.tasks.of(row.Dir) != nil) {
			err = errors.Join(err, q.tasks.conduct(q.main.Loop.Context, f.record, row))
		}
	}
	return f, err
}

// refuse makes the rows say what keeps approved work from landing, and landed work from being removed.
func (f *found) refuse() {
	for i := range f.rows {
		row := &f.rows[i]
		switch why := f.merge.Refused[row.N]; {
		case why == "":
		case row.Final():
			row.Why = why
		default:
			row.Why, row.Needs, row.Moves, row.Refused = "needs you: approved, but "+why, true, false, true
		}
	}
}

// maxSteps bounds the steps of one look at the queue; the next look continues.
const maxSteps = 10

// steps admits and releases items, and merges, until a merge changes nothing. It ends with a merge: work
// whose last session has ended meanwhile would else be listed as waiting for you, until the next look.
func (q *taskQueue) steps(f *found, c queue.Conditions) (err error) {
	for range maxSteps {
		if _, err = f.record.Reconcile(q.main.Loop.Context, c); err != nil {
			return err
		}
		pulls := f.merge.Pulls
		f.merge, err = q.merges.advance(q.main.Loop.Context, f.record, c.Lives)
		f.merge.Pulls = slices.Compact(slices.Sorted(slices.Values(append(pulls, f.merge.Pulls...))))
		if err != nil || !f.merge.changed {
			return err
		}
	}
	return nil
}

// fleetWorkers returns the workers that tasks can be given to. What ferrus.toml says of them counts only
// as far as you trust it.
func (q *taskQueue) fleetWorkers() []queue.Worker {
	cfg, _ := q.project.Config() // the last good one
	if len(cfg.Worker) == 0 && cfg.Workers.NATS == "" {
		q.fleet.Follow(q.main.Loop.Context, cfg)
		return nil
	}
	if trusted, err := q.project.Trusted(project.GateDefinition(cfg)); err != nil || !trusted {
		return nil
	}
	q.fleet.Follow(q.main.Loop.Context, cfg)
	return q.fleet.Workers(cfg)
}

// rowsAfter returns the rows, also where a merge has failed: it keeps no task from its turn.
func rowsAfter(record *queue.Queue, c queue.Conditions, was error) ([]queue.Row, error) {
	rows, err := record.Rows(c)
	return rows, errors.Join(was, err)
}

// follow applies the claims of the record, and finds when they change by themselves.
func (f *found) follow(l *accounts.Limits) error {
	s, err := f.record.Load()
	if err != nil {
		return err
	}
	f.freed = l.Follow(s.World)
	next := func(at time.Time) {
		if !at.IsZero() && (f.again.IsZero() || at.Before(f.again)) {
			f.again = at
		}
	}
	for _, a := range s.World.Accounts {
		next(a.Until)
	}
	for _, r := range f.rows {
		next(r.Again)
	}
	return nil
}

// advanced takes the result of a look at the queue, and begins what follows from it.
func (q *taskQueue) advanced(f found, err error) {
	q.finished(f, err)
	q.prove(f)
	q.main.Reload()
}

// prove runs the gates that a look at the queue asks for, asks the forge about the pull requests that are due, and
// takes the steps that run commands of yours. It looks again soon while a batch is open, and when the next pull
// request is due.
func (q *taskQueue) prove(f found) {
	if len(f.merge.Prove) == 0 {
		q.merges.line.Expect(false)
	}
	for _, target := range f.merge.Prove {
		merger := f.merge.merger
		o := q.merges.options()
		q.apart(func(ctx context.Context) error {
			before := q.merges.turns.Load()
			err := merger.Prove(ctx, target, o)
			if q.merges.turns.Load() == before {
				q.merges.line.Expect(false) // it took no turn
			}
			return err
		})
	}
	for _, n := range f.merge.Pulls {
		merger, o := f.merge.merger, q.merges.options()
		q.apart(func(ctx context.Context) error { return merger.Sync(ctx, n, o) })
	}
	for _, n := range f.merge.Slow {
		merger, o := f.merge.merger, q.merges.options()
		o.Lives = q.tasks.pause
		q.apart(func(ctx context.Context) error { return merger.Continue(ctx, n, o) })
	}
	if f.merge.Open {
		q.lookAgain(mergeRetry)
	} else if at := f.merge.PollAt; !at.IsZero() {
		q.lookAgain(max(time.Until(at), mergeRetry))
	}
}

// apart runs what takes time on a goroutine of its own, and has the queue looked at afterwards.
func (q *taskQueue) apart(do func(context.Context) error) {
	q.main.Loop.Go(func() {
		err := do(q.main.Loop.Context)
		q.main.Loop.Post(func() {
			if q.main.Loop.Context.Err() == nil {
				q.main.ShowError(err)
			}
			q.seen = queueFacts{}
		})
	})
}

// start begins the task of an item on a goroutine of its own, unless that is under way.
func (q *taskQueue) start(record *queue.Queue, item queue.Item) {
	if _, begins := q.begin[item.N]; begins {
		return
	}
	q.begin[item.N] = ""
	ctx := project.WithCopyProgress(q.main.Loop.Context, func(name string, files int) {
		q.main.Loop.Post(func() { q.copied(item.N, name, files) })
	})
	q.main.Loop.Go(func() {
		err := record.Start(ctx, item)
		q.main.Loop.Post(func() {
			delete(q.begin, item.N)
			q.main.ShowError(err)
			q.main.Reload()
		})
	})
}

// finished records the result of a look at the queue.
func (q *taskQueue) finished(f found, err error) {
	q.running, q.record = false, f.record
	if q.main.ShowError(err); err != nil {
		q.record = nil // another may have taken its place
		q.lookAgain(queueRetry)
	}
	if f.rows != nil {
		q.rows, q.doc = f.rows, f.merge.doc
	}
	if len(f.freed) > 0 {
		q.tasks.resumeParked(f.freed)
	}
	if slices.ContainsFunc(q.rows, func(r queue.Row) bool { return r.Polls }) {
		q.lookAgain(pollInterval)
	}
	if !f.again.IsZero() {
		q.lookAgain(min(max(time.Until(f.again), time.Second), time.Minute))
	}
}

// copied keeps how far the worktree of an item is.
func (q *taskQueue) copied(n int, name string, files int) {
	if _, begins := q.begin[n]; begins {
		q.begin[n] = fmt.Sprintf("copied %s of %s", text.Count(files, "file"), name)
	}
}

// lookAgain looks at the queue after some time, whether anything has changed or not.
func (q *taskQueue) lookAgain(after time.Duration) {
	if q.again == nil {
		q.again = q.main.Loop.After(after, func() { q.again, q.seen = nil, queueFacts{} })
	}
}
