package projection

import (
	"slices"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/spec"
	"ferrus/machine/pair"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// idleHint says what can be done when nothing has to be.
func idleHint(v conductor.View) string {
	switch w := v.State.World; {
	case v.Pair != nil && v.Pair.Running:
		return "A pair is running. /tell primary <text> reaches its next turn; /stop stops it and keeps the run"
	case v.Pair != nil && v.Pair.State == pair.StateComplete:
		return "The pair is complete. /pair or /task starts the next one"
	case w.State == task.Complete && w.SelectedMilestone != "":
		return landHint(w) + "/task starts the next one " + milestoneHint(w)
	case w.State == task.Complete:
		return landHint(w) + "/task starts the next one"
	case w.State == task.Reviewing:
		return "The reviewer has it; you can /approve or /reject it, too"
	case slices.ContainsFunc(v.Panes, isPlanning):
		return "" // it is being planned: plain text goes there
	case (w.State == task.Idle || w.State == "") && w.SelectedMilestone != "":
		return "No task yet. /task starts one " + milestoneHint(w)
	case w.State == task.Idle || w.State == "":
		return "No task yet. Type /task <description> to start one (F1: help)"
	}
	return ""
}

// isPlanning reports a session in which a task is planned.
func isPlanning(p conductor.PaneView) bool { return p.Slot == core.SlotPlanner && isLiving(p) }

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
	}
	return "Complete: /land lands it, "
}
