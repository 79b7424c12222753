package scheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ferrus/hq/conductor"
	"ferrus/hq/human"
	"ferrus/hq/queue"
)

// tasks are the conductors of the tasks that have a directory of their own: each has a loop, so
// a slow disk, a huge log or a crash loop of one task delays no other. The conductor of the
// project starts and ends them as the queue says. Its methods wait for loops, so no loop may call them, except
// changed.
type tasks struct {
	options conductor.Options
	main    *conductor.Conductor // of the project
	changes atomic.Uint64        // how often the state of a task has changed

	mu       sync.Mutex
	all      map[string]*conductor.Conductor // guarded by mu: by the directory of the task
	starting map[string]bool                 // guarded by mu: the tasks that are being started
	// faults are why tasks could not be started; guarded by mu. conduct returns them.
	faults map[string]error
	closed bool // guarded by mu: none is started any more
}

func newTasks(o conductor.Options, main *conductor.Conductor) *tasks {
	o.Notice = ""
	t := &tasks{options: o, main: main, all: map[string]*conductor.Conductor{}, starting: map[string]bool{},
		faults: map[string]error{}}
	main.Shared.OthersRun = t.othersRun
	return t
}

// of returns the conductor of a task; nil: it has none.
func (t *tasks) of(dir string) *conductor.Conductor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[dir]
}

// isStarting reports whether the conductor of a task is being started.
func (t *tasks) isStarting(dir string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.starting[dir]
}

// each returns the conductors in the order of their directories' names.
func (t *tasks) each() (all []*conductor.Conductor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, dir := range slices.Sorted(maps.Keys(t.all)) {
		all = append(all, t.all[dir])
	}
	return all
}

// changed reports that the state of a task, or which of its processes run, has changed.
func (t *tasks) changed() {
	t.changes.Add(1)
	t.main.Loop.Post(func() {}) // it reconciles the queue
}

// pause keeps a task from starting anything until it is admitted again. It reports whether a
// session or a gate of the task is running, or may be, because its conductor is just being started
// and takes over what is running.
func (t *tasks) pause(dir string) (lives bool) {
	c := t.of(dir)
	if c == nil {
		return t.isStarting(dir)
	}
	return c.Pause()
}

// conduct starts or ends the conductor of a task, and gives it its turn, as the row says.
func (t *tasks) conduct(ctx context.Context, q *queue.Queue, row queue.Row) error {
	c := t.of(row.Dir)
	switch {
	case row.Final() && c == nil:
		return nil
	case row.Final():
		if t.pause(row.Dir) || !t.remove(row.Dir) {
			return nil
		}
		return c.Close(false)
	case c == nil:
		return t.startTask(ctx, q, row)
	}
	c.Place(conductor.Placement{
		Admitted: row.Running(), Deferred: row.Deferred, Worker: row.Worker, Attempt: row.Attempt,
	})
	return nil
}

// startTask starts the conductor of a task on a goroutine of its own, so that a slow one delays no other;
// when it has started, the queue is looked at, which gives it its turn. It returns why the last start
// has failed.
func (t *tasks) startTask(ctx context.Context, q *queue.Queue, row queue.Row) error {
	t.mu.Lock()
	fault, busy := t.faults[row.Dir], t.starting[row.Dir] || t.closed
	delete(t.faults, row.Dir)
	if fault == nil && !busy {
		t.starting[row.Dir] = true
	}
	t.mu.Unlock()
	if fault != nil || busy {
		return fault
	}
	t.main.Loop.Go(func() {
		_, err := t.start(ctx, q, row)
		t.mu.Lock()
		delete(t.starting, row.Dir)
		if err != nil {
			t.faults[row.Dir] = err
		}
		t.mu.Unlock()
		t.changed()
	})
	return nil
}

// start starts the conductor of a task, which has no turn yet; nil: nothing is started any more.
func (t *tasks) start(ctx context.Context, q *queue.Queue, row queue.Row) (*conductor.Conductor, error) {
	of, err := q.Task(row.Item)
	if err != nil {
		return nil, fmt.Errorf("conduct %s: %w", row.Name(), err)
	}
	o := t.options
	if o.Debug != nil {
		o.Debug = o.Debug.With("task", row.Dir)
	}
	c, err := t.main.StartTask(ctx, of, o, conductor.Placement{Worker: row.Worker, Attempt: row.Attempt}, t.changed)
	if err != nil {
		return nil, fmt.Errorf("conduct %s: %w", row.Name(), err)
	}
	t.mu.Lock()
	closed := t.closed
	if !closed {
		t.all[row.Dir] = c
	}
	t.mu.Unlock()
	if closed {
		return nil, c.Detach()
	}
	return c, nil
}

// remove removes the conductor of a task, and reports false if [tasks.end] ends it.
func (t *tasks) remove(dir string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		delete(t.all, dir)
	}
	return !t.closed
}

// end ends all of them, each as the function says, and starts none any more.
func (t *tasks) end(how func(*conductor.Conductor) error) error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	all := t.each()
	faults := make([]error, len(all))
	var ending sync.WaitGroup
	for i, c := range all {
		ending.Go(func() { faults[i] = how(c) })
	}
	ending.Wait()
	return errors.Join(faults...)
}

// othersRun reports whether a session of another task runs.
func (t *tasks) othersRun(c *conductor.Conductor) bool {
	for _, other := range append(t.each(), t.main) {
		if other != c && other.SessionsRunning() > 0 {
			return true
		}
	}
	return false
}

// resumeParked ends the waits of all tasks for the accounts of agents.
func (t *tasks) resumeParked(agents []string) {
	for _, c := range append(t.each(), t.main) {
		c.ResumeParked(agents)
	}
}

// sessions returns the processes of the sessions of all tasks.
func (t *tasks) sessions() (all []human.Session) {
	for _, c := range t.each() {
		all = append(all, c.Processes()...)
	}
	return all
}
