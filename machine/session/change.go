package session

import "ferrus/machine"

// What rows change. Each is given the snapshot before, and the event.

type change = func(Snap, machine.Event) Data

// then makes one change of several, each of which sees what the one before it changed.
func then(all ...change) change {
	return func(s Snap, e machine.Event) Data {
		for _, change := range all {
			s.Data = change(s, e)
		}
		return s.Data
	}
}

// next moves on to a number that no process has had. The prompt that is built then
// carries what came meanwhile.
func next(s Snap, _ machine.Event) Data {
	d := s.Data
	d.Session++
	d.Urgent, d.Resting, d.Parked = false, false, false
	return d
}

func clearConsecutive(s Snap, _ machine.Event) Data {
	s.Data.Consecutive = 0
	return s.Data
}

func noteUrgent(s Snap, _ machine.Event) Data {
	s.Data.Urgent = true
	return s.Data
}

func report(s Snap, _ machine.Event) Data {
	s.Data.Reported = true
	return s.Data
}

// tellToEnd notes by which event the process that lives is told to end.
func tellToEnd(s Snap, e machine.Event) Data {
	s.Data.Cause = e.Kind()
	return s.Data
}

func interrupt(s Snap, _ machine.Event) Data {
	s.Data.Urgent = false
	return tellToEnd(s, UrgentMessage{})
}

// forgetProcess forgets what belongs to a process, and what was counted in a row: the rows
// that count it on do so themselves.
func forgetProcess(s Snap, _ machine.Event) Data {
	d := s.Data
	d.Cause, d.Reported, d.Troubles, d.Limits = "", false, 0, 0
	return d
}

// abandon leaves a process to be reaped later. One that was let go before stays, with
// the newer reason.
func abandon(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	d.Urgent, d.Resting, d.Parked = false, false, false
	if d.Ending = Living(s); d.Ending != 0 {
		d.Cause = e.Kind()
	}
	return d
}

// abandonInterrupted leaves a process that was interrupted, and was not quick enough.
func abandonInterrupted(s Snap, _ machine.Event) Data { return abandon(s, UrgentMessage{}) }

func reap(s Snap, _ machine.Event) Data {
	s.Data.Ending, s.Data.Cause = 0, ""
	return s.Data
}

// park lets a process go until a usage limit resets.
func park(s Snap, e machine.Event) Data {
	d := abandon(s, e)
	d.Parked = true
	if e.(Limited).Millis == 0 {
		d.Limits = min(s.Data.Limits+1, limitSteps)
	}
	return d
}

// finish is an end that leaves nothing undone, whatever the exit was.
func finish(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	d.Consecutive, d.Fruitless, d.Restarts = 0, 0, 0
	return d
}

// restart is a success that left work for the next session.
func restart(s Snap, e machine.Event) Data {
	d := countTrouble(s, e)
	d.Consecutive = 0
	d.Restarts++
	if e.(SessionExited).Progress {
		d.Fruitless = 0
		return d
	}
	d.Fruitless = min(d.Fruitless+1, FruitlessLimit)
	d.Resting = true
	return d
}

// giveUp is the restart that is one too many.
func giveUp(s Snap, e machine.Event) Data {
	d := restart(s, e)
	d.Restarts = 0
	return d
}

// countError is an end by an error.
func countError(s Snap, e machine.Event) Data {
	d := countTrouble(s, e)
	d.Consecutive++
	d.Total++
	return d
}

// stopForTrouble is the end of a slot in a trouble that lasts, after an error or not.
func stopForTrouble(s Snap, e machine.Event) Data {
	if isFailed(s, e) {
		return countError(s, e)
	}
	return countTrouble(s, e)
}

// countTrouble counts on the sessions that ended in a lasting trouble.
func countTrouble(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	if e.(SessionExited).Trouble != "" {
		d.Troubles = s.Data.Troubles + 1
	}
	return d
}

func wake(s Snap, _ machine.Event) Data {
	s.Data.Resting = false
	return s.Data
}

func clearRestarts(s Snap, _ machine.Event) Data {
	s.Data.Restarts = 0
	return s.Data
}

// clearCountersButTotal is a new machine for a slot that gave up. The errors of the task are not
// forgotten.
func clearCountersButTotal(s Snap, _ machine.Event) Data {
	s.Data.Counters = Counters{Total: s.Data.Total}
	return s.Data
}

// clearTaskCounters begins a task without the errors of the one before. A usage limit is not of a
// task.
func clearTaskCounters(s Snap, _ machine.Event) Data {
	s.Data.Counters = Counters{Limits: s.Data.Limits}
	return s.Data
}
