package task

import "ferrus/machine"

// What rows change. Each function is given the snapshot before the step and returns
// the data after it; the engine itself changes the state and the pause stack.

// newTask forgets all of the previous task.
func newTask(Snap, machine.Event) Data { return Data{} }

// clearCounters tries again with fresh limits. Voided stays: a tree that changes under
// review has a cause outside the loop, which retrying does not remove.
func clearCounters(s Snap, _ machine.Event) Data {
	return Data{Voided: s.Data.Voided}
}

// judgeAgain is clearCounters for a tree that another gate than the task's has proven.
func judgeAgain(s Snap, e machine.Event) Data {
	return Data{Voided: s.Data.Voided, Flaky: e.(Rejudge).Flaky}
}

// startGate opens a ticket for a gate that returns to the present state.
func startGate(s Snap, e machine.Event) Data {
	s.Data.Gate = Gate{Ticket: newTicket(e), From: s.At}
	return s.Data
}

// restartGate opens a new ticket where a gate has passed: its verdict no longer counts.
func restartGate(s Snap, e machine.Event) Data {
	s.Data.Flaky, s.Data.Gate = false, Gate{Ticket: newTicket(e), From: s.Data.Gate.From}
	return s.Data
}

// newTicket returns the number under which an event asks.
func newTicket(e machine.Event) uint64 {
	switch e := e.(type) {
	case Check:
		return e.Ticket
	case Submit:
		return e.Ticket
	case Consult:
		return e.Ticket
	case AskHuman:
		return e.Ticket
	}
	panic("task: " + string(e.Kind()) + " asks nothing") // a test steps every row
}

// passGate lets the executor submit, and ends the row of failures.
func passGate(s Snap, e machine.Event) Data {
	s.Data.Retries = 0
	return passUnproven(s, e)
}

// passFlaky is passGate for a tree on which the checks failed, too.
func passFlaky(s Snap, e machine.Event) Data {
	s.Data.Flaky = true
	return passGate(s, e)
}

// clearFlaky forgets that the gate was flaky, which was decided about.
func clearFlaky(s Snap, _ machine.Event) Data {
	s.Data.Flaky = false
	return s.Data
}

// passUnproven lets the executor submit without a proof; the failures still count.
func passUnproven(s Snap, _ machine.Event) Data {
	s.Data.Gate.Passed = true
	return s.Data
}

// failGate counts a failure, also the one that reaches the limit. The gate is forgotten
// either way: a red one proves nothing that could be submitted.
func failGate(s Snap, e machine.Event) Data {
	s.Data.Retries++
	return clearGate(s, e)
}

// clearGate forgets the gate where Checking is left.
func clearGate(s Snap, _ machine.Event) Data {
	s.Data.Gate = Gate{}
	return s.Data
}

// countLostRunner counts a dead runner; the same ticket runs again.
func countLostRunner(s Snap, _ machine.Event) Data {
	s.Data.Gate.Lost++
	return s.Data
}

// openConsult opens a ticket for the supervisor.
func openConsult(s Snap, e machine.Event) Data {
	s.Data.Consult = Asked{Ticket: newTicket(e)}
	return s.Data
}

// answerConsult keeps the consultation until the executor has read the response.
func answerConsult(s Snap, _ machine.Event) Data {
	s.Data.Consult.Answered = true
	return s.Data
}

// clearConsult forgets the consultation: its response has been read.
func clearConsult(s Snap, _ machine.Event) Data {
	s.Data.Consult = Asked{}
	return s.Data
}

// openQuestion opens a ticket for the human.
func openQuestion(s Snap, e machine.Event) Data {
	s.Data.Question = newTicket(e)
	return s.Data
}

// clearQuestion forgets the ticket. The answer itself waits with the caller.
func clearQuestion(s Snap, _ machine.Event) Data {
	s.Data.Question = 0
	return s.Data
}

// countRejection counts a rejection. The next round of work starts with no failed gates.
func countRejection(s Snap, _ machine.Event) Data {
	s.Data.Cycles, s.Data.Retries, s.Data.Flaky = s.Data.Cycles+1, 0, false
	return s.Data
}

// countVoided counts a voided submission, up to the limit at which the human is asked.
func countVoided(s Snap, _ machine.Event) Data {
	s.Data.Voided, s.Data.Flaky = min(s.Data.Voided+1, VoidedLimit), false
	return s.Data
}

// gateOrigin returns the state that a cancelled or unproven gate goes back to.
func gateOrigin(d Data) machine.State { return d.Gate.From }
