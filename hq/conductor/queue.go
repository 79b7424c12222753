package conductor

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/queue"
)

// taskQueue gives the tasks that wait in the queue their turn, off the loop.
type taskQueue struct {
	*observed
	registry *registry
	work     *openWorkflow
	slots    slots
	running  bool       // a look at the queue is under way
	seen     queueFacts // of the last look
}

// queueFacts are what a look at the queue depends on.
type queueFacts struct {
	seq     uint64 // of the task's record
	lives   bool
	busy    string
	size    int64
	written time.Time
}

// reconcile looks at the queue if something changed since the last look.
func (q *taskQueue) reconcile() {
	if err := q.project.Store.Remove(queue.WakeFile); err != nil {
		q.notices.once(err.Error())
	}
	if q.running {
		return
	}
	info, err := os.Stat(q.project.Store.Path(queue.Dir, "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return // nothing was ever queued
	}
	now := queueFacts{seq: q.state.Seq, lives: q.lives(), busy: q.busy()}
	if err == nil {
		now.size, now.written = info.Size(), info.ModTime()
	}
	if now == q.seen {
		return
	}
	q.running, q.seen = true, now
	q.loop.Go(func() {
		err := q.advance(now)
		q.loop.Post(func() {
			q.running = false
			if err != nil {
				q.seen = queueFacts{} // the next turn tries again
			}
			q.notices.onceIf(err)
			q.reload()
		})
	})
}

// advance takes the steps that the queue is due, and begins the task that has its turn.
func (q *taskQueue) advance(now queueFacts) error {
	all, err := queue.Open(q.project)
	if err != nil {
		return err
	}
	begin, err := all.Reconcile(q.loop.Context, now.busy, now.lives)
	if err != nil || begin == nil {
		return err
	}
	return all.Start(q.loop.Context, begin.N)
}

// lives reports whether a session or a gate of the task has not ended.
func (q *taskQueue) lives() bool {
	for name, r := range q.slots {
		if name != core.SlotPlanner && r.Lives() {
			return true
		}
	}
	return q.world().GateRunning()
}

// busy says why no task is to begin now; empty: nothing is in the way.
func (q *taskQueue) busy() string {
	switch w := q.work.current; {
	case w != nil && !w.IsFinal():
		return "the workflow " + w.ID + " is open"
	case q.registry.wants.has(core.SlotPlanner) || q.slots[core.SlotPlanner].Lives():
		return "a supervisor is planning with you"
	}
	if err := q.project.CheckNoPair(); err != nil {
		return "a pair of agents works in your checkout"
	}
	return ""
}
