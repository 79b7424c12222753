package pair

import (
	"fmt"
	"slices"

	"ferrus/machine"
	"ferrus/machine/pair/run"
)

// InvalidTransitionError reports a transition that the loop does not have.
type InvalidTransitionError struct{ From, To State }

func (e *InvalidTransitionError) Error() string {
	return fmt.Sprintf("invalid transition from %s to %s", e.From, e.To)
}

// Machine is one run of the loop, with the states it has been in. It is an object over
// [Table], which alone decides. It is not safe for concurrent use.
type Machine struct {
	snap    Snap
	history []State
}

// NewMachine returns a machine at a snapshot: Start, or one that was stored with its
// history.
func NewMachine(s Snap, history ...State) *Machine {
	if len(history) == 0 {
		history = []State{s.At}
	}
	return &Machine{snap: s, history: slices.Clone(history)}
}

// Current returns the present state.
func (m *Machine) Current() State { return m.snap.At }

// Snap returns all that the machine remembers, to be stored.
func (m *Machine) Snap() Snap { return m.snap }

// History returns the states it has been in, the present one last.
func (m *Machine) History() []State { return slices.Clone(m.history) }

// Terminal reports whether the run has ended.
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

// Step takes an event. The error is a *machine.Refusal, and then nothing has changed.
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

// CanTransition reports whether the loop can move from one state to another. Resuming
// is no transition of the loop: it continues where it was.
func CanTransition(from, to State) bool {
	return slices.ContainsFunc(Table(Policy{}).Rows, func(r row) bool {
		return r.To == to && to != from && slices.Contains(r.From, from)
	})
}

// FromRunState returns the loop's state of a stored run.
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

// ToRunState returns how a manifest spells a state of the loop.
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
