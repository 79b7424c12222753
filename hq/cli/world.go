package cli

import (
	"errors"

	"ferrus/hq/core"
	"ferrus/machine"
)

// questionOpen and consults report that somebody waits for an answer.
func questionOpen(w core.World) bool {
	return w.State == "AwaitingHuman" && w.Question != nil && !w.Question.Answered
}

func consultOpen(w core.World) bool {
	return w.State == "Consultation" && w.Consult != nil && !w.Consult.Answered
}

// isResting are the states in which nothing goes on.
func isResting(s machine.State) bool { return s == "Idle" || s == "Complete" || s == "Failed" }

// isRefusal tells a refusal from a failure.
func isRefusal(err error) bool {
	var r *machine.Refusal
	return errors.As(err, &r)
}
