package queue

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/queue"
	"ferrus/machine/task"
)

// Row is an item as it is listed. It has more than 12 fields because it is all that is shown of one.
type Row struct {
	Item
	Task            machine.State // of its task; empty: it has not started
	Why             string        // why it waits, or what it does, in words
	Needs           bool          // it continues only when you do something
	Blocking        []int         // what it waits for until you do something, of the items that have to land first
	Asks            bool          // a session of it asks you for something, and has not ended
	Since           time.Time     // when its task came into this state; zero: it has not started
	Checks, Reviews int           // that its task has failed
	Used            core.Amount   // by the sessions of its task
	Polls           bool          // it waits for what changes without notice: free memory, the branch of your checkout
	Elsewhere       bool          // it waits for a worker that has what it needs
	Alarms          []core.Alarm  // of its submission, while something has to be decided about it
	Moves           bool          // ferrus begins, merges or clears it away, or lets it rest, when HQ or a run runs
	Again           time.Time     // when it has to be looked at again though nothing changed; zero: it has not
	Over            bool          // the budget of the queue is used up: only a session that runs continues
	Refused         bool          // it was to land by itself, and cannot
	Deferred        bool          // it has waited for you for so long that another one gets its turn
}

// Rows returns all items in order, each with why it waits. It does not ask which sessions and
// gates are running.
func (q *Queue) Rows(c Conditions) ([]Row, error) {
	c.Lives = nil
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
	conducted := true
	if _, held, err := q.project.Store.Holder(project.ConductorLock); err == nil {
		conducted = held
	}
	rows := make([]Row, 0, len(s.World.Items))
	for _, i := range s.World.Items {
		row := f.row(&s.World, i, conducted)
		if !i.Final() {
			row.Used = q.usedBy(i)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// row describes an item. One that a worker has names it.
func (f *facts) row(d *Document, i Item, conducted bool) Row {
	r := f.describe(d, i, conducted)
	if i.Worker != "" && i.Running() {
		r.Why = cmp.Or(r.Why, string(r.Task)) + " on " + i.Worker
	}
	return r
}

func (f *facts) describe(d *Document, i Item, conducted bool) Row {
	t := f.task(i)
	r := Row{Item: i, Task: t.At}
	switch {
	case i.Clears():
		r.Moves = true
		return r
	case i.Final():
		return r
	case f.fault[i.Dir] != nil:
		r.Why, r.Needs = "its record cannot be read: "+f.fault[i.Dir].Error(), true
	case i.State == queue.StateQueued:
		waits := f.waits(d, i)
		if r.Why = f.denies(i, queue.Admit{Task: t, Waits: waits}); r.Why != "" {
			if r.Why == waits.Dependencies && i.Task == "" {
				_, r.Blocking = f.dependencies(d, i)
				r.Needs = len(r.Blocking) > 0
			}
			r.Polls = r.Why == waits.Memory || r.Needs
			r.Elsewhere = r.Why == waits.Slot && len(i.Needs) > 0
			return r
		}
		if r.Why, r.Moves = "is next", true; !conducted {
			r.Why = "starts with HQ or ferrus run"
		}
	case i.Held == queue.ByHuman:
		r.Why = "held by you"
	case i.Proposed():
		r.Why, r.Needs = "needs you: approve or cancel it", true
	case i.CannotBegin():
		r.Why, r.Needs = joinWords("cannot start", i.Why), true
	case !t.Begun():
		if r.Why, r.Moves = "is starting", true; !conducted {
			r.Why = "starts with HQ or ferrus run"
		}
	case f.worldOf(i) != nil:
		w := f.worldOf(i)
		r.Since, r.Checks, r.Reviews, r.Alarms = w.Since, w.CheckRetries, w.ReviewCycles, w.OpenAlarms()
		r.Why, r.Needs = Describe(*w)
		r.Asks = !r.Needs && len(w.OpenPermissions()) > 0
		f.clock(d, &r, *w)
		if i.State == queue.StateStaged && !t.Moved {
			r.Why, r.Needs = d.describeStaged(i)
			r.Refused = r.Needs && !d.waitsForLand(i)
			r.Alarms = nil // they were approved
		} else if f.stagesNext(i, t) {
			r.Why, r.Needs = "approved, merges next", false
		} else if r.Lands() {
			r.Why, r.Needs = "approved, lands on the branch of its workflow", false
		}
		r.Moves = i.State == queue.StateRunning && !t.Wants() || i.State == queue.StateParked && t.Wants() ||
			i.IsParked() && f.stagesNext(i, t) || i.IsStaged() && !t.Moved && !r.Needs && d.merges(i)
	case t.At == task.Complete:
		r.Why, r.Needs = fmt.Sprintf("needs you: land it with ferrus land %s", i.Task), true
	}
	return r
}

// stagesNext reports whether ferrus stages approved work by itself.
func (f *facts) stagesNext(i Item, t queue.Task) bool {
	return f.Auto && i.Dir != "" && t.At == task.Complete && (i.Running() || i.IsParked())
}

// clock says what the row of a task is at this time.
func (f *facts) clock(d *Document, r *Row, w core.World) {
	t := f.task(r.Item)
	if due, asks := f.deferredAt(r.Item, w); asks && r.State == queue.StateRunning {
		if r.Deferred = t.Deferred; !r.Deferred {
			r.Again = due
		}
	}
	if account, budget := f.usedUp(d, r.Item); t.Wants() && !r.Needs && w.State != task.Checking {
		if r.Why = cmp.Or(account, r.Why); budget != "" { // it continues when you give the queue more
			r.Why, r.Needs, r.Over = "needs you: "+budget+", resume it", true, true
		}
	}
}

// NeedsYou reports whether you have something to do or to answer.
func (r Row) NeedsYou() bool { return r.Needs || r.Asks }

// Lands reports whether the work is approved, and a workflow lands it by itself.
func (r Row) Lands() bool { return r.Origin != nil && r.Task == task.Complete && !r.Final() }

// Words says in a few words what becomes of the item: why it waits, or the state of its task.
func (r Row) Words() string { return cmp.Or(r.Why, string(r.Task), strings.ToLower(string(r.State))) }

// Describe says what the present task does or needs.
func Describe(w core.World) (words string, needs bool) {
	switch {
	case w.State == task.Complete && w.Task.Landed != nil:
		return "has landed", false
	case w.State == task.Complete:
		return "needs you: approved, land it", true
	case w.State == task.Failed:
		return "needs you: failed, retry or reset it", true
	case w.Hold != nil:
		return "needs you: on hold (" + w.Hold.Reason + "), resume it", true
	case w.State == task.AwaitingHuman:
		return "needs you: a question is open", true
	case w.AwaitsApproval():
		return "needs you: approve or reject it", true
	case len(w.OpenPermissions()) > 0:
		return "needs you: asks for permission", false
	}
	return string(w.State), false
}

// reason returns why a step is refused.
func reason(err error) string {
	if r := machine.AsRefusal(err); r != nil && len(r.Failed) > 0 {
		return r.Failed[0].Reason
	}
	return err.Error()
}

// Proposed says which tasks a supervisor proposed, such as "3 tasks are proposed: #4, #5, #6"; empty:
// none waits for your approval.
func Proposed(rows []Row) string {
	var all []int
	for _, r := range rows {
		if r.Proposed() {
			all = append(all, r.N)
		}
	}
	switch len(all) {
	case 0:
		return ""
	case 1:
		return "a task is proposed: " + names(all)
	}
	return fmt.Sprintf("%d tasks are proposed: %s", len(all), names(all))
}
