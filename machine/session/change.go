package session

import "ferrus/machine"

// What rows change. Each function is given the snapshot before the step, and the event,
// and returns the data after it.

type change = func(Snap, machine.Event) Data

// then combines several changes; each sees what the previous ones changed.
func then(all ...change) change {
	return func(s Snap, e machine.Event) Data {
		for _, change := range all {
			s.Data = change(s, e)
		}
		return s.Data
	}
}

// next takes a number that no process has had. The prompt that is built for it carries
// every message that has come, so nothing is urgent any more. It alone increases
// Session.
func next(s Snap, _ machine.Event) Data {
	d := s.Data
	d.Session++
	d.Urgent, d.Resting, d.Parked = false, false, false
	return d
}

// clearConsecutive ends a row of errors: a session made progress.
func clearConsecutive(s Snap, _ machine.Event) Data {
	s.Data.Consecutive = 0
	return s.Data
}

// noteUrgent keeps a message that came while spawning, until the session is established.
func noteUrgent(s Snap, _ machine.Event) Data {
	s.Data.Urgent = true
	return s.Data
}

// report notes that the human was shown the trouble: once per process.
func report(s Snap, _ machine.Event) Data {
	s.Data.Reported = true
	return s.Data
}

// tellToEnd keeps the event for which the running process is being stopped.
func tellToEnd(s Snap, e machine.Event) Data {
	s.Data.Cause = e.Kind()
	return s.Data
}

// interrupt stops a process in order to give the next one a message.
func interrupt(s Snap, _ machine.Event) Data {
	s.Data.Urgent = false
	return tellToEnd(s, UrgentMessage{})
}

// forgetProcess forgets what belongs to a process, and the counters of things in a
// row: a row that continues such a count does so itself.
func forgetProcess(s Snap, _ machine.Event) Data {
	d := s.Data
	d.Cause, d.Reported, d.Troubles, d.Limits = "", false, 0, 0
	return d
}

// abandon leaves a process to be reaped later. One that was abandoned before stays
// recorded, with the newer cause. Its exit, whenever it comes, is no error of the
// slot's.
func abandon(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	d.Urgent, d.Resting, d.Parked = false, false, false
	if d.Ending = Living(s); d.Ending != 0 {
		d.Cause = e.Kind()
	}
	return d
}

// abandonInterrupted leaves a process that did not end within its grace period.
func abandonInterrupted(s Snap, _ machine.Event) Data { return abandon(s, UrgentMessage{}) }

// reap ends the wait for an abandoned process.
func reap(s Snap, _ machine.Event) Data {
	s.Data.Ending, s.Data.Cause = 0, ""
	return s.Data
}

// park abandons a process until a usage limit resets. The limits in a row are counted
// only where the vendor names no time, since only then the wait has to be guessed.
func park(s Snap, e machine.Event) Data {
	d := abandon(s, e)
	d.Parked = true
	if e.(Limited).Millis == 0 {
		d.Limits = min(s.Data.Limits+1, limitSteps)
	}
	return d
}

// finish returns an end that leaves nothing unfinished, whatever the exit was.
func finish(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	d.Consecutive, d.Fruitless, d.Restarts = 0, 0, 0
	return d
}

// restart counts a success that left work for the next session. Progress is judged by
// accepted calls, never by what the agent says.
func restart(s Snap, e machine.Event) Data {
	d := countTrouble(s, e)
	d.Consecutive = 0
	d.Restarts++
	if e.(SessionExited).Progress {
		d.Fruitless = 0
		return d
	}
	d.Fruitless = nextFruitless(s.Data)
	d.Resting = true
	return d
}

// nextFruitless counts a fruitless session. After the limit, where the human was asked, the count starts again.
func nextFruitless(d Data) uint32 { return d.Fruitless%FruitlessLimit + 1 }

// giveUp counts the restart that is one too many; the next count starts at 0.
func giveUp(s Snap, e machine.Event) Data {
	d := restart(s, e)
	d.Restarts = 0
	return d
}

// countError counts an end by an error, for both limits. The guards of the row have
// compared them before.
func countError(s Snap, e machine.Event) Data {
	d := countTrouble(s, e)
	d.Consecutive++
	d.Total++
	return d
}

// stopForTrouble stops the slot for a lasting trouble, which may have ended its session
// with or without an error.
func stopForTrouble(s Snap, e machine.Event) Data {
	if isFailed(s, e) {
		return countError(s, e)
	}
	return countTrouble(s, e)
}

// countTrouble counts the sessions in a row that ended in a lasting trouble.
func countTrouble(s Snap, e machine.Event) Data {
	d := forgetProcess(s, e)
	if e.(SessionExited).Trouble != "" {
		d.Troubles = s.Data.Troubles + 1
	}
	return d
}

// wake ends the rest after a fruitless session.
func wake(s Snap, _ machine.Event) Data {
	s.Data.Resting = false
	return s.Data
}

// clearRestarts gives a slot new restarts: the human has resumed it.
func clearRestarts(s Snap, _ machine.Event) Data {
	s.Data.Restarts = 0
	return s.Data
}

// clearCountersButTotal starts a stopped slot anew. The errors of the task stay.
func clearCountersButTotal(s Snap, _ machine.Event) Data {
	s.Data.Counters = Counters{Total: s.Data.Total}
	return s.Data
}

// clearTaskCounters starts a new task without the errors of the previous one. A usage
// limit does not belong to a task.
func clearTaskCounters(s Snap, _ machine.Event) Data {
	s.Data.Counters = Counters{Limits: s.Data.Limits}
	return s.Data
}
