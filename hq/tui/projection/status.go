package projection

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// isOpen reports whether a task is being worked on in a state.
func isOpen(s machine.State) bool {
	switch s {
	case "", task.Idle, task.Complete, task.Failed:
		return false
	}
	return true
}

func status(v conductor.View, now time.Time) view.Status {
	w := v.State.World
	s := view.Status{
		Project: text.Sanitize(filepath.Base(v.Project)), Branch: text.Sanitize(v.Branch),
		State: view.State{Text: string(w.State), Tone: stateTones[w.State]}, Sandbox: weakestWalls(v),
	}
	if w.State == task.Idle && slices.ContainsFunc(v.Panes, isPlanning) {
		s.State = view.State{Text: "planning", Tone: style.Busy}
	}
	switch {
	case v.StateError != "" && w.State == "":
		s.State, s.Alert = view.State{Text: "unknown", Tone: style.Bad}, view.State{Text: "PROBLEM", Tone: style.Bad}
	case v.StateError != "":
		s.Alert = view.State{Text: "PROBLEM", Tone: style.Bad}
	case w.Hold != nil:
		s.Alert = view.State{Text: "HOLD " + text.Sanitize(w.Hold.Reason), Tone: style.Warn}
	case v.Silent != nil:
		s.Alert = view.State{Text: "SILENT " + string(v.Silent.Slot), Tone: style.Warn}
	}
	if w.Task == nil || w.State == task.Idle {
		return s
	}
	s.Title = text.Sanitize(w.Task.Title)
	s.Checks = fmt.Sprintf("%d/%d", w.CheckRetries, v.Limits.CheckRetries)
	s.Reviews = fmt.Sprintf("%d/%d", w.ReviewCycles, v.Limits.ReviewCycles)
	s.Counter = "checks " + s.Checks
	if w.State == task.Reviewing {
		s.Counter = "reviews " + s.Reviews
	}
	s.Used = v.Used.Total.Short()
	if created, ok := createdAt(v); ok {
		end := now
		if !isOpen(w.State) {
			end = w.Since
		}
		s.Elapsed = minutes(end.Sub(created))
	}
	return s
}

// createdAt returns when the task was created: as the journal says, else as its id does.
func createdAt(v conductor.View) (time.Time, bool) {
	for i := len(v.Journal) - 1; i >= 0; i-- {
		if machine.Kind(v.Journal[i].Event) == core.KindCreateTask {
			return v.Journal[i].At, true
		}
	}
	const layout = "t-20060102-150405"
	id := v.State.World.Task.ID
	at, err := time.Parse(layout, id[:min(len(layout), len(id))])
	return at, err == nil
}
