package projection

import (
	"slices"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/queue"
	"ferrus/hq/spec"
	"ferrus/machine/pair"
	"ferrus/machine/session"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// idleHint says what can be done when nothing has to be.
func idleHint(v conductor.View, now time.Time) string {
	switch w, staged := v.State.World, stagedRow(v); {
	case v.Pair != nil && v.Pair.Running:
		return "A pair is running. /tell primary <text> reaches its next turn; /stop stops it and keeps the run"
	case v.Pair != nil && v.Pair.State == pair.StateComplete:
		return "The pair is complete. /pair or /task starts the next one"
	case waitHint(v, now) != "":
		return waitHint(v, now)
	case hasWorkflow(v) && !isOpen(w.State) && w.State != task.Failed:
		return workflowHint(v)
	case v.Result && !isOpen(w.State) && w.State != task.Failed && (w.Task == nil || w.Task.Landed != nil ||
		w.Task.Origin != nil):
		return "The workflow has ended: /land lands its result, /task starts the next one"
	case staged != nil:
		return "Complete: the merge queue has it (" + why(*staged) + "); /merge shows more"
	case w.State == task.Complete && w.SelectedMilestone != "":
		return landHint(w) + "/task starts the next one " + milestoneHint(w)
	case w.State == task.Complete:
		return landHint(w) + "/task starts the next one"
	case w.State == task.Reviewing:
		return "The reviewer has the submission; you can /approve or /reject it, too"
	case slices.ContainsFunc(v.Panes, isPlanning):
		return "" // it is being planned: plain text goes there
	case (w.State == task.Idle || w.State == "") && w.SelectedMilestone != "":
		return "No task yet. /task starts one " + milestoneHint(w)
	case (w.State == task.Idle || w.State == "") && allLanded(v):
		return "All tasks have landed. Type /task <description> to start the next one (F1: help)"
	case w.State == task.Idle || w.State == "":
		return "No task yet. Type /task <description> to start one (F1: help)"
	}
	return ""
}

// waitHint says why nothing happens while a session waits to be started again, and what to do.
func waitHint(v conductor.View, now time.Time) string {
	for _, p := range v.Panes {
		switch name := places[p.Slot].name; {
		case p.State != session.CoolingDown || p.Until.IsZero():
		case p.Limit != "":
			until := p.Until.In(now.Location()).Format("15:04")
			return text.Sanitize(p.Agent) + " waits for its usage limit until " + until +
				"; then it continues by itself, and /switch gives its role to another agent now"
		default:
			return "The " + name + " had an error and restarts by itself; /resume " + name + " starts it now"
		}
	}
	return ""
}

// stagedRow returns the selected task's row if the merge queue has it, and will land it; nil: it has not.
func stagedRow(v conductor.View) *queue.Row {
	at := slices.IndexFunc(v.Tasks, func(r queue.Row) bool { return r.Dir == v.Selected && r.IsStaged() })
	if at < 0 {
		return nil
	}
	return &v.Tasks[at]
}

// allLanded reports whether work has landed recently and no task is open.
func allLanded(v conductor.View) bool {
	landed := 0
	for _, r := range v.Merges {
		for _, c := range r.Cars {
			if c.State != queue.CarLanded {
				return false
			}
			landed++
		}
	}
	return landed > 0 && !slices.ContainsFunc(v.Tasks, func(r queue.Row) bool { return !r.Final() })
}

// isPlanning reports a session in which a task is planned.
func isPlanning(p conductor.PaneView) bool { return p.Slot == core.SlotPlanner && p.Lives() }

// milestoneHint names what the next task comes from.
func milestoneHint(w core.World) string {
	return "from " + text.Sanitize(w.SelectedMilestone+" of "+spec.Name(w.SelectedSpec))
}

// landHint says where approved work is, and what to do if it has not landed.
func landHint(w core.World) string {
	switch {
	case w.Task == nil:
		return "Complete: "
	case w.Task.Landed != nil:
		return "Landed: "
	case w.Task.Origin != nil:
		return "The workflow has ended: "
	}
	return "Complete: /land lands it, "
}
