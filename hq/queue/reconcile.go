package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
	"ferrus/store"
)

// KindBegun is the event that records the task of an item. It moves nothing.
const KindBegun machine.Kind = "begun"

// facts are what the rows of the table must know of the present task.
type facts struct {
	world core.World
	busy  string           // why ferrus begins nothing now; empty: nothing is in the way
	lives bool             // a session or a gate of the task lives
	past  map[string]ended // by the id of a task that was archived
}

// ended says how a task was when it was archived.
type ended struct {
	at     machine.State
	landed bool
}

func (q *Queue) facts(busy string, lives bool) (facts, error) {
	s, err := q.project.World()
	f := facts{world: s.World, busy: busy, lives: lives, past: map[string]ended{}}
	if hold := f.world.Hold; hold != nil && f.busy == "" {
		f.busy = "the project is on hold (" + hold.Reason + ")"
	}
	return f, err
}

// is reports whether the present task is the item's.
func (f *facts) is(i Item) bool {
	t := f.world.Task
	return t != nil && (t.ID == i.Task || i.Task == "" && t.Item == i.N)
}

// find returns the place of the present task's item; -1: it has none.
func (f *facts) find(d *Document) int {
	return slices.IndexFunc(d.Items, f.is)
}

// task returns what the task of an item says of itself.
func (f *facts) task(i Item) queue.Task {
	switch {
	case f.is(i):
		return queue.Task{At: f.world.State, Held: f.world.Hold != nil, Lives: f.lives}
	case i.Task == "":
		return queue.Task{}
	}
	if e, ok := f.past[i.Task]; ok {
		return queue.Task{At: e.at}
	}
	return queue.Task{At: task.Idle}
}

// landed reports that the work of the item's task has landed.
func (f *facts) landed(i Item) bool {
	return f.is(i) && f.world.Task.Landed != nil || !f.is(i) && f.past[i.Task].landed
}

// waits returns what keeps a queued item from its turn.
func (f *facts) waits(d *Document, i Item) (w queue.Waits) {
	for _, n := range i.After {
		at := d.Index(n)
		switch {
		case at < 0 || d.Items[at].State == queue.StateLanded: // only what landed is forgotten
		case d.Items[at].State == queue.StateCancelled:
			w.Dependencies = fmt.Sprintf("waits for #%d, which was cancelled: edit or cancel it", n)
		case w.Dependencies == "":
			w.Dependencies = fmt.Sprintf("waits for #%d", n)
		}
	}
	for _, other := range d.Items {
		if other.State == queue.StateRunning {
			w.Slot = fmt.Sprintf("1 of 1 tasks is running, #%d", other.N)
		}
	}
	w.Checkout = f.inCheckout(d, i)
	return w
}

// inCheckout returns why the checkout is not free for an item.
func (f *facts) inCheckout(d *Document, i Item) string {
	t, state := f.world.Task, f.world.State
	switch {
	case f.busy != "":
		return f.busy
	case t == nil || state == task.Idle || f.is(i):
		return ""
	case state == task.Complete && (t.Landed != nil || t.Workspace != nil):
		return "" // it is on a branch
	}
	what := "the present task"
	if at := f.find(d); at >= 0 {
		what = d.Items[at].Name()
	}
	switch state {
	case task.Complete:
		return what + " is approved and has not landed"
	case task.Failed:
		return what + " has failed: retry or reset it"
	}
	return what + " works in your checkout"
}

// Reconcile takes every step that ferrus has to take by itself, and returns the item whose task
// has to be begun now; nil: none. Busy says why nothing is to begin; empty: nothing is in the
// way. Lives says that a session or a gate of the task has not ended. Reconcile may be called any
// number of times.
func (q *Queue) Reconcile(ctx context.Context, busy string, lives bool) (*Item, error) {
	for range 4 * MaxWaiting { // each item takes a few steps, and none comes back by itself
		s, err := q.Load()
		if err != nil {
			return nil, err
		}
		f, err := q.facts(busy, lives)
		if err == nil {
			err = q.readPast(&f, s.World)
		}
		if err != nil {
			return nil, err
		}
		moved, begin, err := q.reconcileOne(ctx, f, s.World)
		if !moved || err != nil {
			return begin, err
		}
	}
	return nil, errors.New("the queue does not come to rest")
}

// reconcileOne takes one step, if there is one.
func (q *Queue) reconcileOne(ctx context.Context, f facts, d Document) (moved bool, begin *Item, err error) {
	if at := f.find(&d); at < 0 && f.adoptable() {
		_, err := q.update(ctx, project.FerrusActor(), queue.KindAdd, func(tx *store.Tx[Document]) (string, error) {
			if err := q.adopt(tx); err != nil {
				return "", err
			}
			return fmt.Sprintf("#%d is the task that was open", tx.World.Last), nil
		})
		return true, nil, err
	} else if at >= 0 && d.Items[at].Task == "" {
		return true, nil, q.recordBegun(ctx, f, d.Items[at].N)
	} else if at >= 0 && d.Items[at].State == queue.StateCancelled && f.world.State != task.Idle {
		return true, nil, q.resetCancelled(ctx, project.HumanActor())
	}
	for _, i := range d.Items {
		if by, e, why := f.next(&d, i); e != nil {
			return true, nil, q.applyStep(ctx, i.N, by, e, why)
		}
	}
	at := slices.IndexFunc(d.Items, func(i Item) bool {
		return i.State == queue.StateRunning && !f.task(i).Begun()
	})
	if at < 0 || f.inCheckout(&d, d.Items[at]) != "" {
		return false, nil, nil
	}
	return false, &d.Items[at], nil
}

// next returns the step that an item can take by itself; nil: none.
func (f *facts) next(d *Document, i Item) (machine.Role, machine.Event, string) {
	t := f.task(i)
	var events []machine.Event
	switch {
	case f.landed(i):
		events = []machine.Event{queue.Release{Task: t}, queue.Rest{Task: t}}
		if _, _, err := table.Step(i.snap(), machine.Human, queue.LandHere{Task: t}); err == nil {
			return machine.Human, queue.LandHere{Task: t}, "it has landed"
		}
	case t.At == task.Idle:
		events = []machine.Event{queue.Gone{Task: t}}
	default:
		events = []machine.Event{queue.Release{Task: t}, queue.Rest{Task: t}, queue.Want{Task: t},
			queue.Admit{Task: t, Waits: f.waits(d, i)}}
	}
	for _, e := range events {
		if _, _, err := table.Step(i.snap(), machine.Ferrus, e); err == nil {
			return machine.Ferrus, e, string(t.At)
		}
	}
	return "", nil, ""
}

// applyStep takes a step of ferrus's.
func (q *Queue) applyStep(ctx context.Context, n int, by machine.Role, e machine.Event, why string) error {
	actor := project.FerrusActor()
	if by == machine.Human {
		actor = project.HumanActor()
	}
	err := q.change(ctx, actor, n, e, func(tx *store.Tx[Document], at int) (string, error) {
		item := &tx.World.Items[at]
		switch e.(type) {
		case queue.Admit:
			item.Attempt, item.Why = item.Attempt+1, ""
		case queue.Want: // first in line
			moved := *item
			tx.World.Items = slices.Insert(slices.Delete(tx.World.Items, at, at+1), 0, moved)
			item = &tx.World.Items[0]
		case queue.Gone:
			dropText(tx, at)
			why = "its task was reset"
		}
		return joinWords(item.Name()+" "+item.Title, why), nil
	})
	if machine.IsRefusal(err) {
		return nil // it was changed meanwhile, and the next turn looks again
	}
	return err
}

func joinWords(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// recordBegun records which task an item has, and forgets its request.
func (q *Queue) recordBegun(ctx context.Context, f facts, n int) error {
	_, err := q.update(ctx, project.FerrusActor(), KindBegun, func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		tx.World.Items[at].Task = f.world.Task.ID
		dropText(tx, at)
		return fmt.Sprintf("#%d is %s", n, f.world.Task.ID), nil
	})
	return err
}

// adoptable reports that the present task was not in the queue, and belongs there: it is not
// over, and no workflow's.
func (f *facts) adoptable() bool {
	t := f.world.Task
	return t != nil && f.world.State != task.Idle && t.Landed == nil && t.Origin == nil
}

// adopt makes an item of the open task, before all others.
func (q *Queue) adopt(tx *store.Tx[Document]) error {
	f, err := q.facts("", false)
	if err != nil || !f.adoptable() || f.find(&tx.World) >= 0 {
		return err
	}
	d := &tx.World
	d.Last++
	item := Item{N: d.Last, Title: f.world.Task.Title, State: queue.StateNew, Task: f.world.Task.ID,
		AddedAt: f.world.Since}
	t := f.task(item)
	if err := item.step(machine.Human, queue.Add{Text: true}); err != nil {
		return err
	}
	e := machine.Event(queue.Rest{Task: t})
	if t.Wants() {
		e, item.Attempt = queue.Admit{Task: t}, 1
	}
	if err := item.step(machine.Ferrus, e); err != nil {
		return err
	}
	d.Items = slices.Insert(d.Items, 0, item)
	return nil
}

// readPast reads how the tasks ended that are not the present one any more.
func (q *Queue) readPast(f *facts, d Document) error {
	for _, i := range d.Items {
		if i.Final() || i.Task == "" || f.is(i) {
			continue
		}
		e, err := q.pastOf(i.Task)
		if err != nil {
			return err
		}
		f.past[i.Task] = e
	}
	return nil
}

// pastOf returns how a task ended that was archived: Complete if it has landed, or its worktree may
// still land; else Idle.
func (q *Queue) pastOf(id string) (ended, error) {
	if _, err := q.project.Store.ReadFile("archive/" + id + "/landed.json"); err == nil {
		return ended{task.Complete, true}, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return ended{}, err
	}
	lines, err := q.project.Store.Archived(id)
	if err != nil {
		return ended{}, err
	}
	complete, landed := false, false
	for _, l := range lines {
		complete = l.To == string(task.Complete)
		landed = complete && (landed || l.Event == string(core.KindLanded))
	}
	if landed || complete && q.hasWorktree(id) {
		return ended{task.Complete, landed}, nil
	}
	return ended{at: task.Idle}, nil
}

// hasWorktree reports whether the worktree of a task is still there.
func (q *Queue) hasWorktree(id string) bool {
	names, err := q.project.Store.List("worktrees")
	return err == nil && slices.Contains(names, id)
}

// Start begins the task of an item that has its turn. If that fails, the item gives its turn
// up, and after the third time it is held.
func (q *Queue) Start(ctx context.Context, n int) error {
	f, err := q.facts("", false)
	if err != nil {
		return err
	}
	if t := f.world.Task; t != nil && t.Item == n {
		return nil // begun by a process that died before it said so
	}
	text, err := q.Request(n)
	if err == nil && text == "" {
		err = errors.New("its request is gone")
	}
	if err == nil {
		c := core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: text, Item: n}
		_, err = q.project.Do(ctx, store.Call{}, c)
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	giving := q.change(ctx, project.FerrusActor(), n, queue.Unadmit{},
		func(tx *store.Tx[Document], at int) (string, error) {
			item := &tx.World.Items[at]
			item.Why = core.TaskTitle(err.Error())
			return joinWords(item.Name()+" "+item.Title, item.Why), nil
		})
	return errors.Join(fmt.Errorf("begin #%d: %w", n, err), giving)
}
