package advice

import (
	"slices"

	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// Next returns what a caller should do now: the name of the one tool to call, or a
// sentence that names it. It names only what the caller's session has and what would not be
// refused as the task is, so that an agent that follows it blindly gets to its end.
//
// A session that a conductor started ends when nothing is left for it; one that was started
// by hand waits for the next work, because nothing would start it again.
func Next(w core.World, by core.Actor) string {
	w = w.Normalize()
	if by.Role == machine.Human {
		return nextOfHuman(w)
	}
	switch {
	case mayClaim(by) && w.Claimable(by.Role) && !w.HeldBy(by):
		return core.ClaimTool(by.Role)
	case awaitsAnswer(w, by):
		return string(core.ToolWaitForAnswer)
	}
	next := nextOf(w, by)
	if next == core.EndSession && !by.Managed && mayClaim(by) && !isOver(w, by.Role) {
		return core.ClaimTool(by.Role)
	}
	return next
}

// nextOf returns what a session should do that has nothing to claim and awaits no answer.
func nextOf(w core.World, by core.Actor) string {
	switch {
	case by.Role == machine.Executor:
		return nextOfExecutor(w, by)
	case by.Role == machine.Supervisor:
		return nextOfSupervisor(w, by)
	}
	return ""
}

// mayClaim reports whether the caller's session has the tool that claims work.
func mayClaim(by core.Actor) bool {
	switch by.Mode {
	case core.ModePlan, core.ModeSpec, core.ModeTask, core.ModeConsult, core.ModePhase:
		return false
	}
	return by.Role == machine.Executor || by.Role == machine.Supervisor
}

// isOver reports whether a supervisor has nothing to wait for: the next task is its own to
// create, or the human decides.
func isOver(w core.World, role machine.Role) bool {
	return role == machine.Supervisor && (!w.IsOpen() || w.AwaitsApproval())
}

// awaitsAnswer reports whether the caller has asked the human, or succeeds the session that
// did, and has no answer yet.
func awaitsAnswer(w core.World, by core.Actor) bool {
	q := w.Question
	return q != nil && q.AskedBy(by) && !q.Delivered && (q.Answered || w.State == task.AwaitingHuman)
}

func nextOfExecutor(w core.World, by core.Actor) string {
	if !w.HeldBy(by) {
		return core.EndSession
	}
	works := w.State == task.Executing || w.State == task.Addressing
	switch {
	case w.IsIn(task.Consultation):
		return string(core.KindWaitForConsult)
	case works && w.Hold != nil && w.Hold.Reason == core.HoldUnproven:
		return core.EndSession + "; the human is asked for check commands"
	case w.State == task.Executing:
		return "implement the task, then call check"
	case w.State == task.Addressing:
		return "fix what the report or the review notes name, then call check"
	case w.GateRunning():
		return string(core.KindCheck)
	case w.State == task.Checking:
		return string(core.KindSubmit)
	}
	return core.EndSession
}

func nextOfSupervisor(w core.World, by core.Actor) string {
	is := func(modes ...core.Mode) bool { return slices.Contains(append(modes, core.ModeFree, ""), by.Mode) }
	switch {
	case by.Mode == core.ModePhase:
		return "workflow_status"
	case by.Mode == core.ModeSpec:
		return string(core.KindCreateSpec)
	case w.State == task.Idle && is(core.ModeTask, core.ModePlan),
		w.State == task.Complete && (by.Mode == core.ModeTask || by.Mode == core.ModePlan):
		return string(core.KindCreateTask)
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered && is(core.ModeConsult):
		return string(core.KindRespondConsult)
	case w.State == task.Failed && is():
		return string(core.KindReset)
	case w.AwaitsApproval() && is(core.ModeReview):
		return core.EndSession + "; the human approves"
	case w.State == task.Reviewing && w.HeldBy(by):
		return "review the submission, then call approve or reject"
	}
	return core.EndSession
}

func nextOfHuman(w core.World) string {
	switch {
	case w.State == task.AwaitingHuman:
		return "answer the question"
	case w.AwaitsApproval():
		return "approve or reject: the submission has a change that only you can approve"
	case w.State == task.Failed:
		return "retry or reset the task"
	case w.Hold != nil:
		return "resume, or reset the task"
	case w.State == task.Complete && w.Task != nil && w.Task.Landed == nil && w.Task.Origin == nil:
		return "land the work, or create a task"
	case w.State == task.Idle, w.State == task.Complete:
		return "create a task"
	}
	return ""
}
