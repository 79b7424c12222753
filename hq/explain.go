package hq

import (
	"ferrus/machine"
	"ferrus/machine/task"
)

// Options are the moves that are open now, and to whom: the rows of the task's
// table, and the calls that claim, deliver and resume.
func Options(w World) []machine.Option {
	all := task.Table(task.Limits{}).Options(w.snap())
	for _, r := range []machine.Role{machine.Executor, machine.Supervisor} {
		if w.claimable(r) {
			all = append(all, machine.Option{Event: machine.Kind(claimTool(r)), By: []machine.Role{r}})
		}
	}
	if q := w.Question; q != nil && q.Answered && !q.Delivered {
		all = append(all, machine.Option{Event: "wait_for_answer", By: []machine.Role{q.Role}})
	}
	if w.Hold != nil {
		all = append(all, machine.Option{Event: "resume", By: []machine.Role{machine.Human}})
	}
	return all
}

// Next is what a role should do now: the name of the one tool to call, or words
// that name it.
func Next(w World, role machine.Role) string {
	if q := w.Question; q != nil && q.Role == role && !q.Delivered && (q.Answered || w.State == task.AwaitingHuman) {
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

func nextOfExecutor(w World) string {
	switch {
	case w.in(task.Consultation):
		return "wait_for_consult"
	case w.State == task.Executing:
		return "implement the task, then call check"
	case w.State == task.Addressing:
		return "fix what the report or the review notes name, then call check"
	case w.GateRunning():
		return "check"
	case w.State == task.Checking:
		return "submit"
	case w.State == task.AwaitingHuman && !w.in(task.Reviewing):
		return "wait_for_answer"
	}
	return "end your session now"
}

func nextOfSupervisor(w World) string {
	switch {
	case w.State == task.Idle, w.State == task.Complete:
		return "create_task"
	case w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered:
		return "respond_consult"
	case w.State == task.Reviewing:
		return "review the submission, then call approve or reject"
	}
	return "end your session now"
}

func nextOfPerson(w World) string {
	switch {
	case w.State == task.AwaitingHuman:
		return "answer the question"
	case w.Hold != nil:
		return "resume, or reset the task"
	case w.State == task.Idle, w.State == task.Complete:
		return "create a task"
	case w.State == task.Failed:
		return "retry or reset the task"
	}
	return ""
}
