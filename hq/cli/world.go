package cli

import (
	"ferrus/hq/core"
	"ferrus/machine"
)

// questionOpen and consultOpen report whether a session waits for an answer.
func questionOpen(w core.World) bool {
	return w.State == "AwaitingHuman" && w.Question != nil && !w.Question.Answered
}

func consultOpen(w core.World) bool {
	return w.State == "Consultation" && w.Consult != nil && !w.Consult.Answered
}

// isResting reports whether nothing happens in a state.
func isResting(s machine.State) bool { return s == "Idle" || s == "Complete" || s == "Failed" }

// isRefusal reports whether an error is a refusal.
func isRefusal(err error) bool {
	var r *machine.Refusal
	return errors.As(err, &r)
}
