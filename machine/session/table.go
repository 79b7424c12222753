package session

import (
	"slices"

	"ferrus/machine"
)

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

// States in the order in which a session meets them.
var States = []machine.State{Initializing, BuildingPrompt, Spawning, Running, Interrupting, SessionComplete, CoolingDown, Stopped}

func at(s ...machine.State) []machine.State { return s }
func all(g ...guard) []guard                { return g }

// Table is the machine under a policy.
//
// A process is let go where its state is left before it is reaped: its number is
// kept in Data.Ending, and no prompt is ready until SessionExited brings that
// number back. So there are never two processes in a slot.
func Table(p Policy) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "session", States: States, Final: at(Stopped),
		Rows:    rows(p),
		Late:    late,
		LateWhy: func(Snap, machine.Event) string { return "its number is not that of a session that lives or waits" },
	}
}

func rows(p Policy) []row {
	var (
		alive  = at(Spawning, Running)
		queued = at(Initializing, BuildingPrompt, SessionComplete, CoolingDown, Interrupting)
		errs   = all(current, failed, p.errorLeft())
		fatal  = all(current, failed, p.noErrorLeft())
	)
	return byFerrus([]row{
		{From: at(Initializing), On: "WorktreeReady", If: all(reaped), To: BuildingPrompt},
		{From: at(BuildingPrompt), On: "PromptReady", If: all(reaped), To: Spawning, Emit: spawn, Note: "StorePrompt, Spawn"},

		{From: at(Spawning), On: "SessionStarted", When: all(calm), To: Running, Set: established, Note: "consecutive_errors 0"},
		{From: at(Spawning), On: "SessionStarted", When: all(urgent), To: Interrupting, Set: interrupted, Emit: cancel, Note: "consecutive_errors 0; CancelSession"},
		{From: alive, On: "SessionExited", When: all(current, succeeded, useful), To: SessionComplete, Set: succeed, Note: "consecutive_errors 0"},
		{From: alive, On: "SessionExited", When: all(current, succeeded, fruitless, patience), To: SessionComplete, Set: rest, Emit: wait, Note: "consecutive_errors 0; Backoff"},
		{From: alive, On: "SessionExited", When: all(current, succeeded, fruitless, noPatience), To: SessionComplete, Set: rest, Emit: giveUp, Note: "consecutive_errors 0; Backoff, NoProgress"},
		{From: alive, On: "SessionExited", When: errs, To: CoolingDown, Set: count, Emit: cool, Note: "both error counters + 1; Backoff"},
		{From: alive, On: "SessionExited", When: fatal, To: Stopped, Set: count, Emit: stopped, Note: "both error counters + 1; LogFatal"},
		{From: alive, On: "Limited", To: CoolingDown, Set: letGo, Emit: limited, Note: "no counter; CancelSession, Backoff to the time it names"},

		{From: at(Running), On: "UrgentMessage", To: Interrupting, Emit: cancel, Note: "CancelSession"},
		{From: at(Spawning), On: "UrgentMessage", Set: remember, Note: "acted on at SessionStarted"},
		{From: queued, On: "UrgentMessage", Note: "the next prompt carries it"},
		{From: at(Interrupting), On: "SessionExited", When: all(current), To: BuildingPrompt, Set: next, Note: "no counter"},
		{From: at(Interrupting), On: "GraceExceeded", To: BuildingPrompt, Set: letGoNext, Emit: force, Note: "ForceStopSession"},

		{From: at(SessionComplete), On: "WorktreeReady", If: all(reaped, rested), To: BuildingPrompt, Set: next, Emit: increment, Note: "IncrementSession"},
		{From: at(SessionComplete), On: "BackoffElapsed", Set: wake},
		{From: at(CoolingDown), On: "BackoffElapsed", To: BuildingPrompt, Set: next},

		{From: States, On: "SessionExited", When: all(ending), Set: reap, Note: "the process that was let go is reaped"},
		{From: at(BuildingPrompt, CoolingDown, Stopped), On: "GraceExceeded", Emit: force, Note: "ForceStopSession"},

		{From: States, On: "OperatorStop", To: Stopped, Set: letGo, Emit: stop, Note: "CancelSession if a process lives"},
		{From: States, On: "FatalError", To: Stopped, Set: letGo, Emit: fatalError, Note: "LogFatal; CancelSession if a process lives"},
	})
}

func byFerrus(all []row) []row {
	for i := range all {
		all[i].By = []machine.Role{machine.Ferrus}
	}
	return all
}

// lives reports that the process with the present number may be there.
func lives(s Snap) bool { return slices.Contains(at(Spawning, Running, Interrupting), s.At) }

// Living is the number of the process that is there or is not reaped; 0 for none.
func Living(s Snap) uint32 {
	if lives(s) {
		return s.Data.Session
	}
	return s.Data.Ending
}

// late tells an event by its number from one that answers what is there.
func late(s Snap, e machine.Event) bool {
	d := s.Data
	switch e := e.(type) {
	case SessionStarted:
		return s.At != Spawning || e.Session != d.Session
	case SessionExited:
		return e.Session == 0 || e.Session != Living(s)
	case Limited:
		return !slices.Contains(at(Spawning, Running), s.At) || e.Session != d.Session
	case GraceExceeded:
		return slices.Contains(at(Spawning, Running), s.At) || e.Session == 0 || e.Session != Living(s)
	case BackoffElapsed:
		return e.Session != d.Session || !(s.At == CoolingDown || s.At == SessionComplete && d.Resting)
	}
	return false
}

// What tells rows apart, and what they require.
var (
	reaped = guard{Name: "ending = 0", Reason: "the process before has not been reaped", Expected: "no process of the slot lives",
		Holds: func(s Snap) bool { return s.Data.Ending == 0 }}
	rested = guard{Name: "rested", Reason: "the session before did nothing and the wait is not over", Expected: "BackoffElapsed",
		Holds: func(s Snap) bool { return !s.Data.Resting }}

	urgent = guard{Name: "urgent message", Holds: func(s Snap) bool { return s.Data.Urgent }}
	calm   = guard{Name: "no urgent message", Holds: func(s Snap) bool { return !s.Data.Urgent }}

	current = guard{Name: "its number", Met: func(s Snap, e machine.Event) bool { return lives(s) && e.(SessionExited).Session == s.Data.Session }}
	ending  = guard{Name: "number = ending", Met: func(s Snap, e machine.Event) bool { return !lives(s) && e.(SessionExited).Session == s.Data.Ending }}

	succeeded = guard{Name: "Success", Met: func(_ Snap, e machine.Event) bool { return e.(SessionExited).Outcome == Success }}
	failed    = guard{Name: "Error or Timeout", Met: func(_ Snap, e machine.Event) bool { return e.(SessionExited).Outcome != Success }}
	useful    = guard{Name: "progress", Met: func(_ Snap, e machine.Event) bool { return e.(SessionExited).Progress }}
	fruitless = guard{Name: "no accepted call", Met: func(_ Snap, e machine.Event) bool { return !e.(SessionExited).Progress }}

	patience   = guard{Name: "fewer than 3 in a row", Holds: func(s Snap) bool { return s.Data.Fruitless+1 < FruitlessLimit }}
	noPatience = guard{Name: "3 in a row", Holds: func(s Snap) bool { return s.Data.Fruitless+1 >= FruitlessLimit }}
)

func (p Policy) left(s Snap) bool {
	return int(s.Data.Consecutive)+1 < p.MaxConsecutive && int(s.Data.Total)+1 < p.MaxTotal
}

func (p Policy) errorLeft() guard {
	return guard{Name: "below both limits", Holds: p.left}
}

func (p Policy) noErrorLeft() guard {
	return guard{Name: "at a limit", Holds: func(s Snap) bool { return !p.left(s) }}
}
