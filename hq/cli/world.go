package cli

import (
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/machine/task"
)

// questionOpen and consultOpen report whether a session waits for an answer.
func questionOpen(w core.World) bool {
	return w.State == task.AwaitingHuman && w.Question != nil && !w.Question.Answered
}

func consultOpen(w core.World) bool {
	return w.State == task.Consultation && w.Consult != nil && !w.Consult.Answered
}

// isResting reports whether nothing happens in a state.
func isResting(s machine.State) bool { return s == task.Idle || s == task.Complete || s == task.Failed }
