package core

import (
	"ferrus/machine"
	"ferrus/machine/task"
)

// over is what a session is told that nothing is left for.
const over = "end your session now"

// Next is what a role should do now: the name of the one tool to call, or words
// that name it.
func Next(w World, role machine.Role) string {
	switch {
	case w.claimable(role) && !w.claimedByAny():
		return claimTool(role)
	case w.owes(role):
		return "wait_for_answer"
	}
	switch role {
	case machine.Executor:
		return nextOfExecutor(w)
	case machine.Supervisor:
		return nextOfSupervisor(w)
	case machine.Human:
		return nextOfPerson(w)
	}
	return ""
}

// owes reports that role has asked the person and has no answer yet.
func (w World) owes(role machine.Role) bool {
	q := w.Question
	return q != nil && q.Role == role && !q.Delivered && (q.Answered || w.State == task.AwaitingHuman)
}

func nextOfExecutor(w World) string {
	switch {
	case w.isIn(task.Consultation):
		return "wait_for_consult"
	case w.isHeld(HoldUnproven) && (w.State == task.Executing || w.State == task.Addressing):
		return over + "; the person is asked for check commands"
	case w.State == task.Executing:
		return "implement the task, then call check"
	case w.State == task.Addressing:
		return "fix what the report or the review notes name, then call check"
	case w.GateRunning():
		return "check"
	case w.State == task.Checking:
		return "submit"
	}
	return over
}

func nextOfSupervisor(w World) string {
	switch {
	case w.State == task.Idle:
		return "create_task"
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return "respond_consult"
	case w.AwaitsApproval():
		return over + "; the person approves"
	case w.State == task.Reviewing:
		return "review the submission, then call approve or reject"
	}
	return over
}

func nextOfPerson(w World) string {
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
