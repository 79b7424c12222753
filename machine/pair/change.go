package pair

import (
	"strconv"

	"ferrus/machine"
)

// What rows change. Each function is given the snapshot before the step and returns
// the data after it. The suffix On marks a change that also starts an iteration.

// firstIteration starts the run.
func firstIteration(s Snap, _ machine.Event) Data {
	s.Data.Iteration = 1
	return s.Data
}

// validVotes returns the data with the votes that are still valid: all if the tree is
// unchanged, otherwise none. Every other change starts with it.
func validVotes(s Snap, e machine.Event) Data {
	d := s.Data
	gone := false
	switch e := e.(type) {
	case Gated:
		gone = e.Moved
	case interface{ turn() Turn }:
		gone = e.turn().Moved || e.turn().Edited
	}
	if gone {
		d.Primary, d.Secondary = false, false
	}
	return d
}

// awaitGate keeps a signal until its gate has a verdict. A crash in between loses
// nothing: the next process sees Pending and runs the gate again.
func awaitGate(signal Signal) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := validVotes(s, e)
		d.Silent, d.Pending = 0, signal
		return d
	}
}

// countSilence counts a turn without a signal.
func countSilence(s Snap, e machine.Event) Data {
	d := validVotes(s, e)
	d.Silent++
	return d
}

func countSilenceOn(s Snap, e machine.Event) Data {
	d := countSilence(s, e)
	d.Iteration++
	return d
}

// clearPending ends the wait for a gate whose verdict is no vote.
func clearPending(s Snap, e machine.Event) Data {
	d := validVotes(s, e)
	d.Pending = NoneYet
	return d
}

// recordVote keeps the PASS that waited for the gate: the primary's while working, the
// secondary's while reviewing.
func recordVote(s Snap, e machine.Event) Data {
	d := clearPending(s, e)
	if s.At == StateWorking {
		d.Primary = true
	} else {
		d.Secondary = true
	}
	return d
}

func recordVoteOn(s Snap, e machine.Event) Data {
	d := recordVote(s, e)
	d.Iteration++
	return d
}

// nextIteration starts the next iteration; its first turn is the primary's.
func nextIteration(s Snap, e machine.Event) Data {
	d := clearPending(s, e)
	d.Silent = 0
	d.Iteration++
	return d
}

// fails returns a change that keeps why the run failed and where it can be resumed:
// where it was, with the gate it waited for.
func fails(why Reason) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := validVotes(s, e)
		d.Reason, d.Resume = why, s.At
		return d
	}
}

// failAtLimit ends a run whose last iteration brought no completion.
func failAtLimit(s Snap, e machine.Event) Data { return atLimit(clearPending(s, e)) }

// recordVoteAtLimit keeps the secondary's PASS for a run that is resumed with a higher
// limit.
func recordVoteAtLimit(s Snap, e machine.Event) Data { return atLimit(recordVote(s, e)) }

// atLimit resumes at the beginning of the next iteration, because this one has ended.
func atLimit(d Data) Data {
	d.Reason, d.Resume = MaxIterations, StateWorking
	return d
}

// resumeState returns the state that a failed run continues in.
func resumeState(d Data) State { return d.Resume }

// resume forgets the failure. The turn that failed runs again.
func resume(s Snap, _ machine.Event) Data {
	s.Data.Reason, s.Data.Resume, s.Data.Silent = "", "", 0
	return s.Data
}

func resumeOn(s Snap, e machine.Event) Data {
	d := resume(s, e)
	d.Iteration++
	return d
}

func itoa(n int) string { return strconv.Itoa(n) }
