package task

import "ferrus/machine"

// What rows change. Each is given the snapshot before and returns the data after;
// the engine moves the state and the pause stack.

func newTask(Snap, machine.Event) Data { return Data{} }

func clearCounters(s Snap, _ machine.Event) Data {
	return Data{Voided: s.Data.Voided}
}

func startGate(s Snap, e machine.Event) Data {
	s.Data.Gate = Gate{Ticket: newTicket(e), From: s.At}
	return s.Data
}

func restartGate(s Snap, e machine.Event) Data {
	s.Data.Gate = Gate{Ticket: newTicket(e), From: s.Data.Gate.From}
	return s.Data
}

// newTicket is the new number that an event asks under.
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

func passGate(s Snap, e machine.Event) Data {
	s.Data.Retries = 0
	return passUnproven(s, e)
}

func passUnproven(s Snap, _ machine.Event) Data {
	s.Data.Gate.Passed = true
	return s.Data
}

func failGate(s Snap, e machine.Event) Data {
	s.Data.Retries++
	return clearGate(s, e)
}

func clearGate(s Snap, _ machine.Event) Data {
	s.Data.Gate = Gate{}
	return s.Data
}

func countLostRunner(s Snap, _ machine.Event) Data {
	s.Data.Gate.Lost++
	return s.Data
}

func openConsult(s Snap, e machine.Event) Data {
	s.Data.Consult = Asked{Ticket: newTicket(e)}
	return s.Data
}

func answerConsult(s Snap, _ machine.Event) Data {
	s.Data.Consult.Answered = true
	return s.Data
}

func clearConsult(s Snap, _ machine.Event) Data {
	s.Data.Consult = Asked{}
	return s.Data
}

func openQuestion(s Snap, e machine.Event) Data {
	s.Data.Question = newTicket(e)
	return s.Data
}

func clearQuestion(s Snap, _ machine.Event) Data {
	s.Data.Question = 0
	return s.Data
}

func countRejection(s Snap, _ machine.Event) Data {
	s.Data.Cycles, s.Data.Retries = s.Data.Cycles+1, 0
	return s.Data
}

func countVoided(s Snap, _ machine.Event) Data {
	s.Data.Voided = min(s.Data.Voided+1, VoidedLimit)
	return s.Data
}

func gateOrigin(d Data) machine.State { return d.Gate.From }
