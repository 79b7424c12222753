package pair

import (
	"strconv"

	"ferrus/machine"
)

// What rows change. Each is given the snapshot before and returns the data after.

func begin(s Snap, _ machine.Event) Data {
	s.Data.Iteration = 1
	return s.Data
}

// kept are the data with the votes that are still good.
func kept(s Snap, e machine.Event) Data {
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

// pend has a signal wait for its gate.
func pend(signal Signal) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := kept(s, e)
		d.Silent, d.Pending = 0, signal
		return d
	}
}

func silent(s Snap, e machine.Event) Data {
	d := kept(s, e)
	d.Silent++
	return d
}

func silentOn(s Snap, e machine.Event) Data {
	d := silent(s, e)
	d.Iteration++
	return d
}

// settle takes note of a gate that gave no vote.
func settle(s Snap, e machine.Event) Data {
	d := kept(s, e)
	d.Pending = NoneYet
	return d
}

// vote keeps the pass that the gate was waited for.
func vote(s Snap, e machine.Event) Data {
	d := settle(s, e)
	if s.At == StateWorking {
		d.Primary = true
	} else {
		d.Secondary = true
	}
	return d
}

func voteOn(s Snap, e machine.Event) Data {
	d := vote(s, e)
	d.Iteration++
	return d
}

// again begins the next iteration.
func again(s Snap, e machine.Event) Data {
	d := settle(s, e)
	d.Silent = 0
	d.Iteration++
	return d
}

// fails says why, and where a person can have the run go on: where it was, with
// the gate that was waited for, or at the limit with the next iteration.
func fails(why Reason) func(Snap, machine.Event) Data {
	return func(s Snap, e machine.Event) Data {
		d := kept(s, e)
		d.Reason, d.Resume = why, s.At
		return d
	}
}

func limit(s Snap, e machine.Event) Data { return atLimit(settle(s, e)) }

// limitVote keeps the pass of the secondary for a run that goes on with a higher
// limit.
func limitVote(s Snap, e machine.Event) Data { return atLimit(vote(s, e)) }

func atLimit(d Data) Data {
	d.Reason, d.Resume = MaxIterations, StateWorking
	return d
}

func back(d Data) State { return d.Resume }

func resume(s Snap, _ machine.Event) Data {
	s.Data.Reason, s.Data.Resume, s.Data.Silent = "", "", 0
	return s.Data
}

func resumeOn(s Snap, e machine.Event) Data {
	d := resume(s, e)
	d.Iteration++
	return d
}

func number(n int) string { return strconv.Itoa(n) }
