package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
	"ferrus/store"
)

// KindBegun is the event that records the task of an item. It moves nothing.
const KindBegun machine.Kind = "begun"

// Reconcile takes every step that ferrus has to take by itself, and returns the items whose tasks
// have to be begun now. It may be called any number of times.
func (q *Queue) Reconcile(ctx context.Context, c Conditions) ([]Item, error) {
	taken, notified := q.takenNames(ctx), map[int]bool{}
	for range 4 * MaxWaiting { // each item takes a few steps, and none comes back by itself
		s, err := q.Load()
		if err != nil {
			return nil, err
		}
		f, err := q.facts(s.World, c)
		if err == nil {
			err = q.readPast(&f, s.World)
		}
		if err != nil {
			return nil, err
		}
		f.taken = taken
		begin := f.beginning(&s.World)
		for _, i := range begin {
			if c.Begin != nil && !notified[i.N] {
				notified[i.N] = true
				c.Begin(i)
			}
		}
		moved, err := q.reconcileOne(ctx, f, s.World)
		if !moved || err != nil {
			return begin, err
		}
	}
	return nil, errors.New("the queue did not reach a stable state")
}

// takenNames returns a function that finds out once which names no task can get.
func (q *Queue) takenNames(ctx context.Context) func() ([]string, error) {
	return sync.OnceValues(func() ([]string, error) { return q.project.TakenNames(ctx) })
}

// reconcileOne takes one step, if there is one.
func (q *Queue) reconcileOne(ctx context.Context, f facts, d Document) (moved bool, err error) {
	if moved, err := q.keepClaims(ctx, f.Limits, d); moved || err != nil {
		return moved, err
	}
	if f.find(&d) < 0 && f.adoptable() {
		_, err := q.update(ctx, project.FerrusActor(), queue.KindAdd, func(tx *store.Tx[Document]) (string, error) {
			if err := q.adopt(tx); err != nil {
				return "", err
			}
			return fmt.Sprintf("#%d is the task that was open", tx.World.Last), nil
		})
		return true, err
	}
	for _, i := range d.Items {
		w := f.worldOf(i)
		switch {
		case w == nil || f.fault[i.Dir] != nil:
		case i.Task == "" && w.Task != nil:
			return true, q.recordBegun(ctx, w.Task.ID, i.N)
		case i.State == queue.StateCancelled && w.State != task.Idle:
			return true, q.resetTask(ctx, i, project.HumanActor())
		}
	}
	for _, i := range d.Items {
		if f.fault[i.Dir] != nil {
			continue
		}
		if by, e, why := f.next(&d, i); e != nil {
			return true, q.applyStep(ctx, &f, i, by, e, why)
		}
	}
	return false, nil
}

// beginning returns the items that have their turn and no task.
func (f *facts) beginning(d *Document) []Item {
	var all []Item
	for _, i := range d.Items {
		if i.State == queue.StateRunning && !f.task(i).Begun() && f.fault[i.Dir] == nil &&
			(i.Dir != "" || f.inCheckout(d, i) == "") {
			all = append(all, i)
		}
	}
	return all
}

// next returns the step that an item can take by itself; nil: none.
func (f *facts) next(d *Document, i Item) (machine.Role, machine.Event, string) {
	t := f.task(i)
	if !t.Begun() && i.State == queue.StateQueued { // no other row is for it
		e := queue.Admit{Task: t, Waits: f.waits(d, i)}
		if f.denies(i, e) != "" {
			return "", nil, ""
		}
		return machine.Ferrus, e, ""
	}
	events := []machine.Event{queue.Release{Task: t}, queue.Rest{Task: t}}
	switch {
	case f.landed(i):
		events = append(events, queue.Landed{Contained: true})
		for _, e := range []machine.Event{queue.LandHere{Task: t}, queue.Stage{Task: t}} {
			if i.takes(machine.Human, e) {
				return machine.Human, e, "it has landed"
			}
		}
	case i.State == queue.StateStaged:
		events = []machine.Event{queue.Unstage{Task: t, Merging: d.merging(i.N)}}
	case t.At == task.Idle:
		events = []machine.Event{queue.Gone{Task: t}}
	default:
		events = append(events, queue.Want{Task: t}, queue.Admit{Task: t, Waits: f.waits(d, i)})
	}
	for _, e := range events {
		if i.takes(machine.Ferrus, e) {
			return machine.Ferrus, e, string(t.At)
		}
	}
	return "", nil, ""
}

// applyStep takes a step of ferrus's.
func (q *Queue) applyStep(ctx context.Context, f *facts, of Item, by machine.Role, e machine.Event,
	why string) error {
	actor := project.FerrusActor()
	if by == machine.Human {
		actor = project.HumanActor()
	}
	if e, ok := e.(queue.Unstage); ok {
		return ignoreRefusal(q.unstage(ctx, actor, of.N, e))
	}
	var err error
	if e.Kind() == queue.KindAdmit {
		err = q.admit(ctx, f, of)
	} else {
		err = q.change(ctx, actor, of.N, e, func(tx *store.Tx[Document], at int) (string, error) {
			item := &tx.World.Items[at]
			switch e.(type) {
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
	}
	return ignoreRefusal(err)
}

// admit gives an item its turn. What it waits for is asked again under the lock: another process may
// have given a turn meanwhile.
func (q *Queue) admit(ctx context.Context, f *facts, of Item) error {
	dir := of.Dir
	if dir == "" && f.apart(of) {
		var err error
		if dir, err = freeDir(f.taken, of); err != nil {
			return err
		}
	}
	now := *f
	_, err := q.update(ctx, project.FerrusActor(), queue.KindAdmit, func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(of.N)
		if at < 0 {
			return "", unknown(of.N)
		}
		now.claim(&tx.World)
		item := &tx.World.Items[at]
		t := now.task(*item)
		if err := item.step(machine.Ferrus, queue.Admit{Task: t, Waits: now.waits(&tx.World, *item)}); err != nil {
			return "", err
		}
		item.Agents = now.agents(*item)
		item.Attempt, item.Why, item.Dir, item.Worker = item.Attempt+1, "", dir, now.worker
		return joinWords(item.Name()+" "+item.Title, string(t.At)), nil
	})
	return err
}

// ignoreRefusal ignores that something was changed meanwhile: the next turn looks again.
func ignoreRefusal(err error) error {
	if machine.IsRefusal(err) {
		return nil
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
func (q *Queue) recordBegun(ctx context.Context, id string, n int) error {
	_, err := q.update(ctx, project.FerrusActor(), KindBegun, func(tx *store.Tx[Document]) (string, error) {
		at := tx.World.Index(n)
		if at < 0 {
			return "", unknown(n)
		}
		tx.World.Items[at].Task = id
		dropText(tx, at)
		return fmt.Sprintf("#%d is %s", n, id), nil
	})
	return err
}

// adoptable reports whether the present task was not in the queue, and belongs there: it is not
// over, and no workflow's.
func (f *facts) adoptable() bool {
	t := f.world.Task
	return t != nil && f.world.State != task.Idle && t.Landed == nil && t.Origin == nil
}

// adopt makes an item of the open task, before all others.
func (q *Queue) adopt(tx *store.Tx[Document]) error {
	f, err := q.facts(Document{}, Conditions{})
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
