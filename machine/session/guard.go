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
		Reason: "the previous process has not been reaped", Expected: "no process in the slot",
		Holds: func(s Snap) bool { return s.Data.Ending == 0 }}
	rested = guard{Name: "rested",
		Reason: "the previous session did nothing and the wait is not over", Expected: "the end of the wait",
		Holds: func(s Snap) bool { return !s.Data.Resting }}
	stays = guard{Name: "not stopping",
		Reason: "the session is already being stopped", Expected: "a session that is not being stopped",
		Holds: func(s Snap) bool { return s.Data.Cause == "" }}
	unreported = guard{Name: "not reported",
		Reason: "the human already knows about it", Expected: "the first trouble of a session",
		Holds: func(s Snap) bool { return !s.Data.Reported }}
	needed = guard{Name: "not dismissed",
		Reason: "the session is being stopped for good", Expected: "a session that another one follows",
		Holds: func(s Snap) bool { return !over(s) && s.Data.Cause != TimedOut{}.Kind() }}
)

// What selects rows.
var (
	urgent   = guard{Name: "urgent message", Holds: interrupts}
	calm     = guard{Name: "no urgent message", Holds: not(interrupts)}
	leaves   = guard{Name: "stopping", Holds: func(s Snap) bool { return s.Data.Cause != "" }}
	parked   = guard{Name: "for a usage limit", Holds: func(s Snap) bool { return s.Data.Parked }}
	unparked = guard{Name: "after an error", Holds: func(s Snap) bool { return !s.Data.Parked }}
)

// What selects the row for the end of a process.
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

// not and unless return the opposite condition.
func not(holds func(Snap) bool) func(Snap) bool { return func(s Snap) bool { return !holds(s) } }

func unless(met func(Snap, machine.Event) bool) func(Snap, machine.Event) bool {
	return func(s Snap, e machine.Event) bool { return !met(s, e) }
}

// interrupts reports a message for which the session is interrupted once it is
// established. A session that is being stopped is not: the next prompt carries it.
func interrupts(s Snap) bool { return s.Data.Urgent && s.Data.Cause == "" }

// over reports a session that is being stopped because nothing is left for it to do.
func over(s Snap) bool {
	return slices.Contains([]machine.Kind{Dismissed{}.Kind(), Superseded{}.Kind()}, s.Data.Cause)
}

// isUnwanted reports an end that is no error, whatever the exit was. A session that
// took too long has failed even if its work is no longer wanted.
func isUnwanted(s Snap, e machine.Event) bool {
	return over(s) || e.(SessionExited).Unwanted && s.Data.Cause != TimedOut{}.Kind()
}

// isFailed reports an exit by an error, or a session that took too long and ended well
// in the end.
func isFailed(s Snap, e machine.Event) bool {
	return e.(SessionExited).Outcome != Success || s.Data.Cause == TimedOut{}.Kind()
}

func isUseful(_ Snap, e machine.Event) bool { return e.(SessionExited).Progress }

// isTroubleAgain reports the trouble at which the slot stops: the next session would end
// in it too.
func isTroubleAgain(s Snap, e machine.Event) bool {
	return e.(SessionExited).Trouble != "" && s.Data.Troubles+1 >= TroubleLimit
}

func canRestart(s Snap) bool { return s.Data.Restarts < RestartLimit }

func canRestartFruitless(s Snap) bool { return canRestart(s) && nextFruitless(s.Data) < FruitlessLimit }

// left reports whether one more error is below both limits.
func (p Policy) left(s Snap) bool {
	return int(s.Data.Consecutive)+1 < p.MaxConsecutive && int(s.Data.Total)+1 < p.MaxTotal
}

// errorLeft and noErrorLeft select the row before the limits of errors, and the row at
// them.
func (p Policy) errorLeft() guard { return guard{Name: "below both limits", Holds: p.left} }

func (p Policy) noErrorLeft() guard { return guard{Name: "at a limit", Holds: not(p.left)} }
