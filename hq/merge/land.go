package merge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/merge"
	"ferrus/store"
)

// waitEvery is how often [Land] looks what became of an item.
const waitEvery = 200 * time.Millisecond

// ItemOf returns the queue of a task with a directory of its own, and its item.
func ItemOf(t *project.Task) (*queue.Queue, queue.Item, error) {
	q, err := queue.Open(t.Main())
	if err != nil {
		return nil, queue.Item{}, err
	}
	s, err := q.Load()
	if err != nil {
		return nil, queue.Item{}, err
	}
	for _, i := range s.World.Items {
		if i.Dir == t.ID {
			return q, i, nil
		}
	}
	return nil, queue.Item{}, fmt.Errorf("no item of the queue has the task %s: %w", t.ID, queue.ErrUnknown)
}

// StageTask stages the approved work of a task as the human, as soon as nothing of it lives any more, and
// returns its item. If its batch is proven and waits, the branch may now be moved where it is checked out.
func StageTask(ctx context.Context, t *project.Task, message string) (*queue.Queue, queue.Item, error) {
	for {
		q, i, err := ItemOf(t)
		if err != nil {
			return nil, i, err
		}
		switch i.State {
		case itemStaged:
			if lost, err := isLost(ctx, t, i); err != nil || !lost {
				return q, i, errors.Join(err, landStaged(ctx, q, i), wake(t))
			}
			if err := q.Unstage(ctx, project.HumanOf(ctx), i.N); err != nil {
				return q, i, err
			}
		case itemQueued, itemRunning: // it is approved, and about to be parked
			if err := park(ctx, t, q); err != nil {
				return q, i, err
			}
		default:
			err := Stage(ctx, q, i, project.HumanOf(ctx), message)
			if err == nil {
				_, i, err = ItemOf(t)
			}
			return q, i, errors.Join(err, wake(t))
		}
	}
}

// PlanLanding is like [land.PlanLanding] for work that may land by a pull request: then nothing is in its way
// here.
func PlanLanding(ctx context.Context, t *project.Task, id string, o land.Options) (land.Plan, error) {
	via := ""
	if t.HasDirectory() && !o.Keep {
		if q, i, err := ItemOf(t); err == nil {
			via, _, _ = New(t, q).viaOf(t, i) // what is wrong with it refuses the landing
		}
	}
	o.Away = via != ""
	plan, err := land.PlanLanding(ctx, t, id, o)
	if via != "" {
		plan.Via = "a pull request"
	}
	return plan, err
}

// isLost reports that git has no commit any more of what is staged: it has to be staged anew.
func isLost(ctx context.Context, t *project.Task, i queue.Item) (bool, error) {
	home, err := git.Locate(t.Dir)
	if err != nil {
		return false, err
	}
	err = home.Git().Do(ctx, "cat-file", "-e", i.Staged.Commit+"^{tree}")
	return errors.As(err, new(*git.Failed)), ctx.Err()
}

// landStaged continues staged work that waits for you.
func landStaged(ctx context.Context, q *queue.Queue, i queue.Item) error {
	switch {
	case !i.ByPull():
		if !i.Staged.ByHuman {
			if err := q.AskLanding(ctx, project.HumanOf(ctx), i.N); err != nil {
				return err
			}
		}
		return Decide(ctx, q, project.HumanOf(ctx), i.Staged.Target, Grant)
	case i.IsHeldPull():
		return decidePull(ctx, q, project.HumanOf(ctx), i, Again)
	}
	return nil
}

// wake makes the conductor look at the queue.
func wake(t *project.Task) error { return t.Main().Store.WriteFile(queue.WakeFile, nil) }

// park takes the steps that the queue is due; where a conductor does that, it waits a moment.
func park(ctx context.Context, t *project.Task, q *queue.Queue) error {
	_, conducted, err := t.Main().Store.Holder(project.ConductorLock)
	if err != nil {
		return err
	}
	if !conducted {
		if _, err := q.Reconcile(ctx, queue.ConditionsOf(t.Main())); err != nil {
			return err
		}
	}
	return pause(ctx)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(waitEvery):
		return nil
	}
}

// Land stages the approved work of a task as the human, and returns when it has landed, was returned, or
// waits for you. Without a conductor it merges itself. The error is a *land.Refused or a *land.Failed.
func Land(ctx context.Context, t *project.Task, message string, o Options, tell func(string)) (land.Done, error) {
	q, i, err := StageTask(ctx, t, message)
	if err != nil {
		return land.Done{}, err
	}
	tell(fmt.Sprintf("%s is staged for %s", i.Name(), i.Staged.Target))
	w := waiting{Merger: New(t, q), options: o, item: i, tell: tell}
	if run := o.RunGate; run != nil {
		w.options.RunGate = func(ctx context.Context, r GateRun) (gate.Record, error) {
			note := r.Notify
			r.Notify = func(where string) error {
				w.tellGate(where)
				return note(where)
			}
			return run(ctx, r)
		}
	}
	defer w.Close()
	for {
		done, over, err := w.poll(ctx)
		if over || err != nil {
			return done, err
		}
	}
}

// waiting is one landing that is waited for.
type waiting struct {
	*Merger
	options Options
	item    queue.Item
	tell    func(string)
	busy    string // what was reported last
	gate    string // what was reported last of where the gate is
}

// tellGate reports where the gate of what lands runs, or what it waits for.
func (w *waiting) tellGate(where string) {
	if where != w.gate && where != "" {
		w.tell("the gate " + where)
	}
	w.gate = where
}

// poll takes what steps there are, and reports what became of the item.
func (w *waiting) poll(ctx context.Context) (done land.Done, over bool, err error) {
	_, conducted, err := w.project.Store.Holder(project.ConductorLock)
	if err == nil && !conducted {
		err = w.work(ctx)
	}
	if err != nil {
		return done, true, err
	}
	s, err := w.queue.Load()
	if err != nil {
		return done, true, err
	}
	at := s.World.Index(w.item.N)
	if at < 0 {
		return done, true, queue.ErrUnknown
	}
	target := w.item.Staged.Target
	i, m := s.World.Items[at], s.World.MergeOf(target)
	switch {
	case i.State == itemLanded && i.Staged == nil:
		return land.Done{Commit: i.Landed, Onto: target, Kept: i.Why}, true, nil
	case i.IsHeldPull():
		return done, true, &land.RefusedError{What: i.Pull.Why, Fix: "it stays staged; ferrus merge again tries again"}
	case i.ByPull() && i.Pull.IsFor(i.Staged) && i.Pull.Step == queue.PullWait:
		return land.Done{Staged: i.Name(), Onto: target, Pull: "the pull request " + i.Pull.Address()}, true, nil
	case i.State == itemLanded:
	case i.IsCancelled():
		return done, true, &land.RefusedError{What: i.Name() + " was cancelled, and has not landed",
			Fix: "ferrus task add queues it again"}
	case i.State != itemStaged:
		what := orElse(i.Returned, "it is no longer staged")
		text, _ := w.returned(i) // the line says the most of it
		return done, true, &land.FailedError{What: what, Text: text, Returned: true, Judged: i.Again != ""}
	case m.Why != "" && (m.Data.Flaky || m.Data.Held != merge.NotHeld || m.State == merge.StateProven):
		return done, true, &land.RefusedError{What: m.Why,
			Fix: "it stays staged; ferrus task list shows what it waits for"}
	}
	if conducted && m.State == merge.StateProving {
		w.tellGate(m.Why)
	}
	if conducted || w.busy != "" || i.Clears() {
		err = pause(ctx)
	}
	return done, false, err
}

// work merges until nothing is to do.
func (w *waiting) work(ctx context.Context) error {
	next, err := w.Advance(ctx, w.options)
	if err != nil && (len(next.Faults) == 0 || next.Faults[w.item.Staged.Target] != nil) {
		return err // of another branch it is not
	}
	if next.Busy != w.busy && next.Busy != "" {
		w.tell("waiting: " + next.Busy)
	}
	w.busy = next.Busy
	for _, target := range next.Prove {
		w.tell("running the checks on what lands on " + target)
		if err := w.Prove(ctx, target, w.options); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, n := range next.Pulls {
		if err := w.Sync(ctx, n, w.options); err != nil {
			return err
		}
	}
	for _, n := range next.Slow {
		if err := w.Continue(ctx, n, w.options); err != nil {
			return err
		}
	}
	if len(next.Pulls)+len(next.Slow) == 0 && !next.PollAt.IsZero() {
		w.busy = "the forge" // it is not asked all the time
	}
	if _, err = w.queue.Reconcile(ctx, queue.ConditionsOf(w.project)); errors.Is(err, store.ErrNone) {
		return nil
	}
	return err
}

// returned returns the notes that the executor gets.
func (w *waiting) returned(i queue.Item) (string, error) {
	of, err := w.queue.Task(i)
	if err != nil {
		return "", err
	}
	s, err := of.World()
	if err != nil {
		return "", err
	}
	return of.Store.ReadText(s, core.ReviewText)
}
