package pair

import (
	"fmt"
	"slices"

	"ferrus/machine"
	"ferrus/machine/pair/run"
)

// InvalidTransitionError is a move that the loop does not have.
type InvalidTransitionError struct{ From, To State }

func (e *InvalidTransitionError) Error() string {
	return fmt.Sprintf("invalid transition from %s to %s", e.From, e.To)
}

// Machine is one run of the loop, with the states it has been in. It is not safe
// for concurrent use.
type Machine struct {
	snap    Snap
	history []State
}

// NewMachine is a machine at a snapshot: Start, or one that was kept.
func NewMachine(s Snap, history ...State) *Machine {
	if len(history) == 0 {
		history = []State{s.At}
	}
	return &Machine{snap: s, history: slices.Clone(history)}
}

// Current is where the machine is.
func (m *Machine) Current() State { return m.snap.At }

// Snap is what the machine remembers.
func (m *Machine) Snap() Snap { return m.snap }

// History are the states it has been in, in order, the present one last.
func (m *Machine) History() []State { return slices.Clone(m.history) }

// Terminal reports whether the loop has ended.
func (m *Machine) Terminal() bool { return Terminal(m.snap.At) }

// Terminal reports whether a state ends the loop.
func Terminal(s State) bool { return s == StateComplete || s == StateFailed }

// Transition moves to another state, or returns an *[InvalidTransitionError] and
// stays. It asks for no facts: a run is moved by [Machine.Step].
func (m *Machine) Transition(to State) error {
	if !CanTransition(m.snap.At, to) {
		return &InvalidTransitionError{From: m.snap.At, To: to}
	}
	m.snap.At = to
	m.history = append(m.history, to)
	return nil
}

// Step answers an event. The error is a *machine.Refusal, and nothing changed.
func (m *Machine) Step(p Policy, by machine.Role, e machine.Event) error {
	next, _, err := Table(p).Step(m.snap, by, e)
	if err != nil {
		return err
	}
	if _, resumed := e.(Resume); resumed {
		m.snap, m.history = next, append(m.history, next.At)
		return nil
	}
	if next.At != m.snap.At {
		if err := m.Transition(next.At); err != nil {
			return err
		}
	}
	m.snap = next
	return nil
}

// CanTransition reports whether the loop can move from one state to another. To
// resume is no move of the loop: it begins again where it was.
func CanTransition(from, to State) bool {
	return slices.ContainsFunc(Table(Policy{}).Rows, func(r row) bool {
		return r.To == to && to != from && slices.Contains(r.From, from)
	})
}

// FromRunState is the state of the loop of a run that was kept.
func FromRunState(rs run.State) State {
	switch rs {
	case run.StateSubmitted:
		return StateInit
	case run.StateWorking:
		return StateWorking
	case run.StateReviewing:
		return StateReviewing
	case run.StateCompleted:
		return StateComplete
	default:
		return StateFailed
	}
}

// ToRunState is what the manifest of a run says of a state of its loop.
func ToRunState(s State) run.State {
	switch s {
	case StateInit:
		return run.StateSubmitted
	case StateWorking:
		return run.StateWorking
	case StateReviewing:
		return run.StateReviewing
	case StateComplete:
		return run.StateCompleted
	default:
		return run.StateFailed
	}
}
