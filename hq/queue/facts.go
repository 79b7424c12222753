package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
	"ferrus/store"
)

// Conditions are what the queue must know beside what is recorded.
type Conditions struct {
	Busy      string            // why ferrus starts nothing in your checkout now; empty: nothing is in the way
	Lives     func(string) bool // whether a task's session or gate runs, by the task's directory; nil: none does
	Worktrees bool              // a task that begins gets a directory, and a worktree, of its own
	Memory    string            // why there is too little memory for one more; empty: there is enough
	Auto      bool              // ferrus stages what is approved, as soon as its last session has ended
	Lacks     func(Item) bool   // whether a worktree that is made now lacks what landed; nil: it has all
	Begin     func(Item)        // gets each item whose task has to be begun, before others get their turn; nil: nothing
	Limits
}

// ConditionsOf returns the conditions that ferrus.toml and this machine set.
func ConditionsOf(p *project.Task) Conditions {
	cfg, _ := p.Config() // the last good one: a broken edit stops no queue
	l := cfg.Limits
	return Conditions{
		Worktrees: cfg.HQ.Worktree(), Memory: scarce(freeMemory(), l.MinFreeMemoryMB),
		Auto:  cfg.Merge.Auto && trusts(p),
		Lacks: func(i Item) bool { return p.HeadLacks(context.Background(), i.Onto, i.Landed) },
		Limits: Limits{Parallel: l.MaxParallelTasks, Sessions: cfg.Sessions,
			Agents:   []string{cfg.HQ.Executor.Agent, cfg.HQ.Supervisor.Agent},
			Fallback: cfg.HQ.Executor.Fallback,
			Budget:   core.Amount{Tokens: l.MaxQueueTokens, Cost: l.MaxQueueCost},
			Defer:    cfg.HQ.DeferAfter, Now: time.Now()},
	}
}

// trusts reports whether you trust what ferrus.toml lets ferrus do without you.
func trusts(p *project.Task) bool {
	cfg, _ := p.Config()
	trusted, err := p.Trusted(project.GateDefinition(cfg))
	return trusted && err == nil
}

// facts are what the rows of the table must know of the tasks.
type facts struct {
	Conditions
	world core.World             // of the task whose record is .ferrus
	own   map[string]*core.World // of the tasks with a directory of their own, by its name
	fault map[string]error       // why the record of such a task cannot be read
	past  map[string]ended       // by the id of a task that was archived

	denied map[admission]string // what the table said of items that want their turn

	taken func() ([]string, error) // names that no task of an item may get

	claimed claims // what the items hold that have their turn
	worker  string // that the examined item would be given; empty: this machine
}

// admission is all that decides whether an item gets its turn.
type admission struct {
	queue.Snap
	queue.Admit
}

// denies returns why the table refuses an item its turn; empty: it does not. The table is asked once for all
// items that wait for the same.
func (f *facts) denies(i Item, e queue.Admit) string {
	of := admission{i.snap(), e}
	why, known := f.denied[of]
	if !known {
		why = table.Denies(of.Snap, machine.Ferrus, e)
		f.denied[of] = why
	}
	return why
}

// ended says how a task was when it was archived.
type ended struct {
	at     machine.State
	landed bool
}

func (q *Queue) facts(d Document, c Conditions) (facts, error) {
	s, err := q.project.SharedWorld()
	f := facts{Conditions: c, world: s.World, own: map[string]*core.World{}, fault: map[string]error{},
		past: map[string]ended{}, denied: map[admission]string{}}
	if hold := f.world.Hold; hold != nil && f.Busy == "" {
		f.Busy = "the project is on hold (" + hold.Reason + ")"
	}
	for _, i := range d.Items {
		if i.Dir != "" && i.State != queue.StateLanded {
			q.readOwn(&f, i)
		}
	}
	f.claim(&d)
	return f, err
}

// readOwn reads the record of a task with a directory of its own. One that cannot be read keeps
// no other from its turn.
func (q *Queue) readOwn(f *facts, i Item) {
	t, err := q.Task(i)
	if err == nil {
		var s store.State[core.World]
		if s, err = t.SharedWorld(); err == nil &&
			(s.World.Task != nil || s.World.Epoch > core.New(s.World.Since).Epoch) {
			f.own[i.Dir] = &s.World
		}
	}
	if err != nil && !errors.Is(err, store.ErrNone) && !errors.Is(err, fs.ErrNotExist) {
		f.fault[i.Dir] = err
	}
}

// is reports whether the task whose record is .ferrus belongs to the item.
func (f *facts) is(i Item) bool {
	t := f.world.Task
	return i.Dir == "" && t != nil && (t.ID == i.Task || i.Task == "" && t.Item == i.N)
}

// worldOf returns the record of the item's task; nil: it has none yet, or was archived.
func (f *facts) worldOf(i Item) *core.World {
	if w := f.own[i.Dir]; w != nil && i.Dir != "" {
		return w
	}
	if f.is(i) {
		return &f.world
	}
	return nil
}

// find returns the place of the item whose task's record is .ferrus; -1: it has none.
func (f *facts) find(d *Document) int {
	return slices.IndexFunc(d.Items, f.is)
}

// task returns what the task of an item says of itself.
func (f *facts) task(i Item) queue.Task {
	if w := f.worldOf(i); w != nil {
		t := queue.Task{At: w.State, Held: w.Hold != nil, Deferred: f.deferred(i, *w)}
		// Only what gives its turn up, ends or has landed has to have ended; asking stops it for a moment.
		asks := i.Running() && !t.Wants() || t.At == task.Idle || w.Task != nil && w.Task.Landed != nil
		t.Lives = asks && f.Lives != nil && f.Lives(i.Dir)
		t.Moved = i.Staged != nil && !i.Staged.is(w)
		return t
	}
	if i.Task == "" || i.Dir != "" {
		return queue.Task{}
	}
	if e, ok := f.past[i.Task]; ok {
		return queue.Task{At: e.at}
	}
	return queue.Task{At: task.Idle}
}

// landed reports whether the work of the item's task has landed.
func (f *facts) landed(i Item) bool {
	if w := f.worldOf(i); w != nil {
		return w.Task != nil && w.Task.Landed != nil
	}
	return f.past[i.Task].landed
}

// lacks reports whether the task of an item would start without the work of one that has landed. The tasks of a
// workflow start from its branch, and adopted work from its own commit.
func (f *facts) lacks(i, landed Item) bool {
	return i.Task == "" && i.Origin == nil && i.Adopted == nil &&
		landed.IsLanded() && f.Lacks != nil && f.Lacks(landed)
}

// dependencies returns what an item still waits for of what has to land first, and the items for which it waits until
// you do something.
func (f *facts) dependencies(d *Document, i Item) (why string, blocking []int) {
	for _, n := range i.After {
		at := d.Index(n)
		switch {
		case at >= 0 && d.Items[at].IsAway():
			blocking = append(blocking, n)
			why = fmt.Sprintf("waits until %s has #%d: git pull", d.Items[at].Onto, n)
		case at >= 0 && f.lacks(i, d.Items[at]):
			blocking = append(blocking, n)
			why = fmt.Sprintf("waits for #%d, which landed on %[2]s: check out %[2]s, or a branch that has it",
				n, d.Items[at].Onto)
		case at < 0 || d.Items[at].State == queue.StateLanded: // only what landed is forgotten
		case d.Items[at].State == queue.StateCancelled:
			blocking = append(blocking, n)
			why = fmt.Sprintf("waits for #%d, which was cancelled: edit or cancel it", n)
		case why != "":
		case f.task(d.Items[at]).At == task.Failed:
			why = fmt.Sprintf("waits for #%d, which has failed: retry it, or cancel it", n)
		default:
			why = fmt.Sprintf("waits for #%d", n)
		}
	}
	return why, blocking
}

// waits returns what keeps a queued item from its turn.
func (f *facts) waits(d *Document, i Item) (w queue.Waits) {
	w.Dependencies, _ = f.dependencies(d, i)
	apart := f.apart(i)
	f.worker = f.chooseWorker(d, i)
	w.Slot, w.Touches = f.slot(i, apart), f.touched(i)
	w.Account, w.Budget = f.usedUp(d, i)
	if f.claimed.tasks > 0 && f.worker == "" {
		w.Memory = f.Memory
	}
	if !apart {
		w.Checkout = f.inCheckout(d, i)
	}
	return w
}

// deferred reports whether a task waits for you for so long that another one gets its turn. It needs no
// turn to ask in, and your checkout is free for nothing else meanwhile.
func (f *facts) deferred(i Item, w core.World) bool {
	due, asks := f.deferredAt(i, w)
	return asks && !f.Now.Before(due)
}

// deferredAt returns when a task that waits for you gives its turn up.
func (f *facts) deferredAt(i Item, w core.World) (due time.Time, asks bool) {
	asks = w.State == task.AwaitingHuman || w.AwaitsApproval()
	return w.Since.Add(f.Defer), asks && f.Defer > 0 && i.Dir != ""
}

// apart reports whether an item works, or would begin to work, outside of your checkout.
func (f *facts) apart(i Item) bool {
	return i.Dir != "" || (f.Worktrees || i.Origin != nil) && i.Task == "" && !f.is(i)
}

// inCheckout returns why the checkout is not free for an item.
func (f *facts) inCheckout(d *Document, i Item) string {
	t, state := f.world.Task, f.world.State
	switch {
	case f.Busy != "":
		return f.Busy
	case t == nil || state == task.Idle || f.is(i):
		return ""
	case state == task.Complete && (t.Landed != nil || t.Workspace != nil):
		return "" // it is on a branch
	}
	what := "the open task"
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

// readPast reads how the tasks ended that are not the present one any more.
func (q *Queue) readPast(f *facts, d Document) error {
	for _, i := range d.Items {
		if i.Final() || i.Task == "" || i.Dir != "" || f.is(i) {
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
