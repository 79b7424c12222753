package cli

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/conductor"
	"ferrus/hq/queue"
	"ferrus/machine/task"
)

// apart reports whether a task of the queue has a directory of its own and is not over, or its worktree has to be
// cleared away.
func apart(rows []queue.Row) bool {
	return slices.ContainsFunc(rows, func(r queue.Row) bool { return r.Dir != "" && (!r.Final() || r.Moves) })
}

// tasksOver reports whether no task continues without you, and with which error. It is
// not known where no task has a directory of its own.
func (h *headless) tasksOver(v conductor.View) (over, known bool, err error) {
	if v.StateError != "" {
		return true, true, failure(v.StateError)
	}
	if (apart(v.Tasks) || slices.ContainsFunc(v.Tasks, elsewhere)) && slices.ContainsFunc(v.Tasks, h.continues) {
		return false, true, nil
	}
	rows, err := queueRows(h.project) // the view may be older
	switch {
	case err != nil:
		return true, true, err
	case h.ended(rows):
		return true, true, h.summarize(rows)
	case !apart(rows) && !slices.ContainsFunc(rows, elsewhere) && (len(h.tasks) == 0 || v.State.World.Task != nil):
		return false, false, nil
	case !alike(v.Tasks, rows):
		return false, true, nil
	}
	return true, true, h.summarize(v.Tasks) // it knows, too, what keeps approved work from being staged
}

// elsewhere reports whether a task waits for a worker.
func elsewhere(r queue.Row) bool { return r.Elsewhere }

// alike reports whether the conductor knows the tasks as they are. If not, it is about to look: what was
// just approved may be staged then.
func alike(view, now []queue.Row) bool {
	return slices.EqualFunc(view, now, func(a, b queue.Row) bool {
		return a.N == b.N && a.State == b.State && a.Task == b.Task
	})
}

// ended reports whether all tasks in the queue are finished, and some of them ended in this run.
func (h *headless) ended(rows []queue.Row) bool {
	return allOver(rows) && slices.ContainsFunc(rows, func(r queue.Row) bool { return !h.past[r.N] })
}

// allOver reports whether all tasks of the queue have landed or were cancelled.
func allOver(rows []queue.Row) bool {
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(r queue.Row) bool { return !r.Final() || r.Moves })
}

// continues reports whether a task continues without you.
func (h *headless) continues(r queue.Row) bool {
	switch {
	case r.Final():
		return r.Moves || r.Dir != "" && h.conductor.Task(r.Dir) != nil // its last session ends
	case r.Moves, r.Lands(), h.attended && r.Task == task.AwaitingHuman:
		return true
	case r.Elsewhere:
		return h.workersBy != nil
	case r.Dir == "":
		return r.Running() && !r.Needs
	}
	c := h.conductor.Task(r.Dir)
	if c == nil {
		return r.Running() && !r.Needs
	}
	v := c.View()
	w := v.State.World
	if w.State != r.Task {
		return true // the row or the view is older: another one comes
	}
	if w.Hold != nil && w.Hold.IsLimit() || r.Over {
		return sessionsRunning(v) // it ends by itself, or with the limit
	}
	if w.State == task.Complete && sessionsRunning(v) {
		return true
	}
	return r.Running() && !r.Needs
}

// summarize prints how all tasks are, and returns what the run exits with.
func (h *headless) summarize(rows []queue.Row) error {
	rows = slices.DeleteFunc(rows, func(r queue.Row) bool { return h.past[r.N] && h.tasks[r.Dir] == nil })
	for _, r := range rows {
		if r.Final() {
			h.printRest(h.project, r)
		}
	}
	if err := h.printSummary(rows); err != nil {
		return err
	}
	var needs, failed, away []string
	ask := ""
	for _, r := range rows {
		switch {
		case r.Task == task.Failed:
			failed = append(failed, fmt.Sprint(r.N))
		case r.Needs && (r.Task != task.Complete || r.Refused):
			if needs = append(needs, fmt.Sprint(r.N)); ask == "" {
				ask = fmt.Sprintf("ferrus status --task %d", r.N)
				switch {
				case r.IsStaged():
					ask = "ferrus merge"
				case r.Task == "":
					ask = "ferrus task"
				}
			}
		case r.Elsewhere:
			away = append(away, fmt.Sprint(r.N))
		}
	}
	switch {
	case len(needs) > 0:
		return waiting(numbered(needs, "needs you", "need you"),
			ask+" shows what is asked; then: ferrus run")
	case len(failed) > 0:
		return failure(numbered(failed, "failed", "failed"),
			"ferrus report --task "+failed[0]+" shows why; ferrus retry --task "+failed[0]+" tries again")
	case len(away) > 0:
		return waiting(numbered(away, "waits for a worker", "wait for a worker"),
			"ferrus worker list says which workers there are; then: ferrus run")
	}
	return nil
}

// numbered says something of one task or of several.
func numbered(all []string, one, several string) string {
	if len(all) > 1 {
		one = several
	}
	return "#" + strings.Join(all, ", #") + " " + one
}
