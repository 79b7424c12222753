package pair

import (
	"strconv"

	"ferrus/machine"
)

// What rows change. Each is given the snapshot before and returns the data after.

func firstIteration(s Snap, _ machine.Event) Data {
	s.Data.Iteration = 1
	return s.Data
}

// validVotes are the data with the votes that are still good.
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

// awaitGate has a signal wait for its gate.
func awaitGate(signal Signal) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := validVotes(s, e)
		d.Silent, d.Pending = 0, signal
		return d
	}
}

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

// clearPending takes note of a gate that gave no vote.
func clearPending(s Snap, e machine.Event) Data {
	d := validVotes(s, e)
	d.Pending = NoneYet
	return d
}

// recordVote keeps the pass that the gate was waited for.
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

// nextIteration begins the next iteration.
func nextIteration(s Snap, e machine.Event) Data {
	d := clearPending(s, e)
	d.Silent = 0
	d.Iteration++
	return d
}

// fails says why, and where a person can have the run go on: where it was, with
// the gate that was waited for, or at the limit with the next iteration.
func fails(why Reason) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := validVotes(s, e)
		d.Reason, d.Resume = why, s.At
		return d
	}
}

func failAtLimit(s Snap, e machine.Event) Data { return atLimit(clearPending(s, e)) }

// recordVoteAtLimit keeps the pass of the secondary for a run that goes on with a higher
// limit.
func recordVoteAtLimit(s Snap, e machine.Event) Data { return atLimit(recordVote(s, e)) }

func atLimit(d Data) Data {
	d.Reason, d.Resume = MaxIterations, StateWorking
	return d
}

func resumeState(d Data) State { return d.Resume }

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
