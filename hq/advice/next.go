package advice

import (
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// Next returns what a role should do now: the name of the one tool to call, or a
// sentence that names it.
func Next(w core.World, role machine.Role) string {
	switch {
	case w.Claimable(role) && !w.IsClaimed():
		return core.ClaimTool(role)
	case awaitsAnswer(w, role):
		return string(core.ToolWaitForAnswer)
	}
	switch role {
	case machine.Executor:
		return nextOfExecutor(w)
	case machine.Supervisor:
		return nextOfSupervisor(w)
	case machine.Human:
		return nextOfHuman(w)
	}
	return ""
}

// awaitsAnswer reports whether role has asked the human and has no answer yet.
func awaitsAnswer(w core.World, role machine.Role) bool {
	q := w.Question
	return q != nil && q.Role == role && !q.Delivered && (q.Answered || w.State == task.AwaitingHuman)
}

func nextOfExecutor(w core.World) string {
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

func nextOfSupervisor(w core.World) string {
	switch {
	case w.State == task.Idle:
		return string(core.KindCreateTask)
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return string(core.KindRespondConsult)
	case w.AwaitsApproval():
		return core.EndSession + "; the human approves"
	case w.State == task.Reviewing:
		return "review the submission, then call approve or reject"
	}
	return core.EndSession
}

func nextOfHuman(w core.World) string {
	switch {
	case w.State == task.AwaitingHuman:
		return "answer the question"
	case w.AwaitsApproval():
		return "approve or reject: the submission touches what only you may approve"
	case w.State == task.Failed:
		return "retry or reset the task"
	case w.Hold != nil:
		return "resume, or reset the task"
	case w.State == task.Complete && w.Task != nil && w.Task.Landed == nil:
		return "land the work, or create a task"
	case w.State == task.Idle, w.State == task.Complete:
		return "create a task"
	}
	return ""
}
