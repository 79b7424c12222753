package scheduler

import (
	"errors"
	"slices"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

// Show adds the queue, its merges and the usage limits of accounts to a view of the project.
func (q *taskQueue) Show(v *conductor.View) {
	v.Tasks, v.Merges = q.shown(), q.doc.MergeRows(time.Now())
	if !q.project.HasDirectory() {
		v.Accounts, v.Over = q.accounts.Shown(time.Now())
	}
}

// shown returns the rows, with what is copied for the tasks that are being made. A task whose conductor
// is being started cannot be selected yet.
func (q *taskQueue) shown() []queue.Row {
	rows := slices.Clone(q.rows)
	for i, r := range rows {
		c := q.tasks.of(r.Dir)
		switch words := q.begin[r.N]; {
		case words != "":
			rows[i].Why = words
		case r.Task != "" && q.tasks.isStarting(r.Dir):
			rows[i].Task, rows[i].Why, rows[i].Needs = "", "is starting", false
		case c != nil && r.Task == task.Checking:
			if ahead := c.GatesAhead(); ahead > 0 {
				rows[i].Why = "waits for " + text.Count(ahead, "gate")
			}
		case c != nil && !r.Needs && !r.Final():
			if need := c.View().SessionsNeed(); need != "" {
				rows[i].Why, rows[i].Asks = "needs you: "+need, true
			}
		}
	}
	return slices.Clip(rows)
}

// Rows returns the queue as the last look found it.
func (q *taskQueue) Rows() []queue.Row { return q.rows }

// IsOpen reports whether the record of the queue is open.
func (q *taskQueue) IsOpen() bool { return q.record != nil }

// Sessions returns the processes of the sessions of tasks with a directory of their own.
func (q *taskQueue) Sessions() []human.Session { return q.tasks.sessions() }

// End ends the conductors of tasks, each by how, and starts none any more.
func (q *taskQueue) End(how func(*conductor.Conductor) error) error { return q.tasks.end(how) }

// Started returns the tasks that have started and not ended.
func (q *taskQueue) Started() (all []*project.Task, err error) {
	if q.project.HasDirectory() {
		return nil, nil
	}
	record, err := queue.Open(q.project)
	if errors.Is(err, store.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := record.Load()
	for _, item := range s.World.Items {
		if item.Dir == "" || item.Final() {
			continue
		}
		of, missing := record.Task(item)
		if errors.Is(missing, store.ErrNone) {
			continue // it waits for its turn
		}
		if err = errors.Join(err, missing); missing == nil {
			all = append(all, of)
		}
	}
	return all, err
}

// Close tells workers what they may forget, and releases the branches.
func (q *taskQueue) Close() error {
	q.fleet.Close()
	return q.merges.close()
}
