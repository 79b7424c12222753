package session

import (
	"slices"

	"ferrus/machine"
)

func all(g ...guard) []guard { return g }

// with returns a list of guards with more at its end.
func with(some []guard, more ...guard) []guard { return slices.Concat(some, more) }

// What rows require.
var (
	reaped = guard{Name: "ending = 0",
		Reason: "the process before has not been reaped", Expected: "no process of the slot lives",
		Holds: func(s Snap) bool { return s.Data.Ending == 0 }}
	rested = guard{Name: "rested",
		Reason: "the session before did nothing and the wait is not over", Expected: "BackoffElapsed",
		Holds: func(s Snap) bool { return !s.Data.Resting }}
	stays = guard{Name: "not told to end",
		Reason: "the session was told to end already", Expected: "a session that was not",
		Holds: func(s Snap) bool { return s.Data.Cause == "" }}
	unreported = guard{Name: "not reported",
		Reason: "the human was told of it already", Expected: "the first trouble of a session",
		Holds: func(s Snap) bool { return !s.Data.Reported }}
	needed = guard{Name: "not dismissed",
		Reason: "the session was told to end for good", Expected: "a session that is to be followed by another",
		Holds: func(s Snap) bool { return !over(s) && s.Data.Cause != TimedOut{}.Kind() }}
)

// What tells rows apart.
var (
	urgent   = guard{Name: "urgent message", Holds: interrupts}
	calm     = guard{Name: "no urgent message", Holds: not(interrupts)}
	leaves   = guard{Name: "told to end", Holds: func(s Snap) bool { return s.Data.Cause != "" }}
	parked   = guard{Name: "for a usage limit", Holds: func(s Snap) bool { return s.Data.Parked }}
	unparked = guard{Name: "after an error", Holds: func(s Snap) bool { return !s.Data.Parked }}
)

// What tells the ends of a process apart.
var (
	unwanted = guard{Name: "dismissed, superseded or not wanted", Met: isUnwanted}
	wanted   = guard{Name: "wanted", Met: unless(isUnwanted)}

	troubleAgain   = guard{Name: "the second trouble in a row", Met: isTroubleAgain}
	noTroubleAgain = guard{Name: "not the second trouble", Met: unless(isTroubleAgain)}

	succeeded = guard{Name: "Success", Met: unless(isFailed)}
	failed    = guard{Name: "Error or Timeout", Met: isFailed}

	useful          = guard{Name: "progress", Met: isUseful}
	fruitless       = guard{Name: "no accepted call", Met: unless(isUseful)}
	restartsLeft    = guard{Name: "restarts left", Holds: canRestart}
	noRestartLeft   = guard{Name: "no restart left", Holds: not(canRestart)}
	fruitlessLeft   = guard{Name: "fewer than 3 in a row and restarts left", Holds: canRestartFruitless}
	fruitlessUsedUp = guard{Name: "3 in a row or no restart left", Holds: not(canRestartFruitless)}
)

func not(holds func(Snap) bool) func(Snap) bool { return func(s Snap) bool { return !holds(s) } }

func unless(met func(Snap, machine.Event) bool) func(Snap, machine.Event) bool {
	return func(s Snap, e machine.Event) bool { return !met(s, e) }
}

// interrupts reports a message that the session is to be interrupted for once it is
// established. One that was told to end is not: the next prompt carries the message.
func interrupts(s Snap) bool { return s.Data.Urgent && s.Data.Cause == "" }

// over reports a session that was told to end because nothing is left to do for it.
func over(s Snap) bool {
	return slices.Contains([]machine.Kind{Dismissed{}.Kind(), Superseded{}.Kind()}, s.Data.Cause)
}

// isUnwanted reports an end that is no error whatever the exit was. A session that
// took too long is one even if its work was no longer wanted at the end.
func isUnwanted(s Snap, e machine.Event) bool {
	return over(s) || e.(SessionExited).Unwanted && s.Data.Cause != TimedOut{}.Kind()
}

func isFailed(s Snap, e machine.Event) bool {
	return e.(SessionExited).Outcome != Success || s.Data.Cause == TimedOut{}.Kind()
}

func isUseful(_ Snap, e machine.Event) bool { return e.(SessionExited).Progress }

func isTroubleAgain(s Snap, e machine.Event) bool {
	return e.(SessionExited).Trouble != "" && s.Data.Troubles+1 >= TroubleLimit
}

func canRestart(s Snap) bool { return s.Data.Restarts < RestartLimit }

func canRestartFruitless(s Snap) bool { return canRestart(s) && s.Data.Fruitless+1 < FruitlessLimit }

// left reports whether one more error is below both limits.
func (p Policy) left(s Snap) bool {
	return int(s.Data.Consecutive)+1 < p.MaxConsecutive && int(s.Data.Total)+1 < p.MaxTotal
}

func (p Policy) errorLeft() guard { return guard{Name: "below both limits", Holds: p.left} }

func (p Policy) noErrorLeft() guard { return guard{Name: "at a limit", Holds: not(p.left)} }
