package task

import "ferrus/machine"

// What rows change. Each is given the snapshot before and returns the data after;
// the engine moves the state and the pause stack.

func fresh(Snap, machine.Event) Data { return Data{} }

func again(s Snap, _ machine.Event) Data {
	return Data{Voided: s.Data.Voided}
}

func ask(s Snap, e machine.Event) Data {
	s.Data.Gate = Gate{Ticket: ticket(e), From: s.At}
	return s.Data
}

func askAgain(s Snap, e machine.Event) Data {
	s.Data.Gate = Gate{Ticket: ticket(e), From: s.Data.Gate.From}
	return s.Data
}

// ticket is the new number that an event asks under.
func ticket(e machine.Event) uint64 {
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

func pass(s Snap, e machine.Event) Data {
	s.Data.Retries = 0
	return allow(s, e)
}

func allow(s Snap, _ machine.Event) Data {
	s.Data.Gate.Passed = true
	return s.Data
}

func fail(s Snap, e machine.Event) Data {
	s.Data.Retries++
	return noGate(s, e)
}

func noGate(s Snap, _ machine.Event) Data {
	s.Data.Gate = Gate{}
	return s.Data
}

func lose(s Snap, _ machine.Event) Data {
	s.Data.Gate.Lost++
	return s.Data
}

func consult(s Snap, e machine.Event) Data {
	s.Data.Consult = Asked{Ticket: ticket(e)}
	return s.Data
}

func respond(s Snap, _ machine.Event) Data {
	s.Data.Consult.Answered = true
	return s.Data
}

func noConsult(s Snap, _ machine.Event) Data {
	s.Data.Consult = Asked{}
	return s.Data
}

func question(s Snap, e machine.Event) Data {
	s.Data.Question = ticket(e)
	return s.Data
}

func noQuestion(s Snap, _ machine.Event) Data {
	s.Data.Question = 0
	return s.Data
}

func reject(s Snap, _ machine.Event) Data {
	s.Data.Cycles, s.Data.Retries = s.Data.Cycles+1, 0
	return s.Data
}

func void(s Snap, _ machine.Event) Data {
	s.Data.Voided = min(s.Data.Voided+1, VoidedLimit)
	return s.Data
}

func from(d Data) machine.State { return d.Gate.From }
