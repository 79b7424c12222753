package session

import (
	"slices"

	"ferrus/machine"
)

type (
	row   = machine.Row[Data]
	guard = machine.Guard[Data]
)

func states(s ...machine.State) []machine.State { return s }

var (
	alive  = states(Spawning, Running)
	queued = states(Initializing, BuildingPrompt, SessionComplete, CoolingDown, Interrupting)

	// where an abandoned process may still be ending
	mayBeEnding = states(Initializing, BuildingPrompt, CoolingDown, Stopped)
)

// Table returns the machine under a policy.
//
// There are never two processes in a slot. Where a state is left before its process is
// reaped, the process is abandoned: its number is kept in Data.Ending, and no new
// process starts until SessionExited brings that number back. A crash of the conductor
// leaves the number in agents.json for the next one. Every row is ferrus's, because
// only its runner observes a process.
func Table(p Policy) *machine.Table[Data] {
	return &machine.Table[Data]{
		Name: "session", States: States, Final: states(Stopped),
		Rows: byFerrus(slices.Concat(starts, exits(p), messages, orders, waits, stops)),
		Late: late,
		LateWhy: func(Snap, machine.Event) string {
			return "its number is not the number of a running or waiting session"
		},
	}
}

// starts lead to a running process. Each state on the way can be re-entered after a
// crash: building a prompt and starting a process are repeated, never assumed.
var starts = []row{
	{From: states(Initializing), On: "WorktreeReady", If: all(reaped), To: BuildingPrompt},
	{From: states(SessionComplete), On: "WorktreeReady", If: all(reaped, rested), To: BuildingPrompt,
		Set: next, Emit: increment, Note: "IncrementSession"},
	{From: states(BuildingPrompt), On: "PromptReady", If: all(reaped), To: Spawning,
		Emit: spawn, Note: "StorePrompt, Spawn"},
	{From: states(Spawning), On: "SessionStarted", When: all(calm), To: Running,
		Note: "established"},
	{From: states(Spawning), On: "SessionStarted", When: all(urgent), To: Interrupting,
		Set: interrupt, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "Progressed", Set: clearConsecutive, Note: "consecutive_errors 0"},
}

// exits judge the end of a process: by what is left to do, then by its trouble, then by
// its exit. Whether the work is still wanted comes first, so a session that was let go
// never counts as an error. A trouble comes before the exit, because the next session
// would meet it whatever the exit was.
func exits(p Policy) []row {
	const won, lost = "consecutive_errors 0", "both error counters + 1"
	const counted = won + ", restarts + 1"
	var (
		owed = all(wanted, noTroubleAgain)
		done = with(owed, succeeded)
		bad  = with(owed, failed)
	)
	return []row{
		{From: alive, On: "SessionExited", When: all(unwanted), To: SessionComplete,
			Set: finish, Note: won + ", restarts 0"},
		{From: alive, On: "SessionExited", When: all(wanted, troubleAgain), To: Stopped,
			Set: stopForTrouble, Emit: lastingTrouble, Note: "after an error " + lost + "; LogFatal"},
		{From: alive, On: "SessionExited", When: with(done, useful, restartsLeft), To: SessionComplete,
			Set: restart, Note: counted},
		{From: alive, On: "SessionExited", When: with(done, useful, noRestartLeft), To: SessionComplete,
			Set: giveUp, Emit: noProgress, Note: won + ", restarts 0; NoProgress"},
		{From: alive, On: "SessionExited", When: with(done, fruitless, fruitlessLeft), To: SessionComplete,
			Set: restart, Emit: wait, Note: counted + "; Backoff"},
		{From: alive, On: "SessionExited", When: with(done, fruitless, fruitlessUsedUp), To: SessionComplete,
			Set: giveUp, Emit: fruitlessTooOften, Note: won + ", restarts 0; Backoff, NoProgress"},
		{From: alive, On: "SessionExited", When: with(bad, p.errorLeft()), To: CoolingDown,
			Set: countError, Emit: cool, Note: lost + "; Backoff"},
		{From: alive, On: "SessionExited", When: with(bad, p.noErrorLeft()), To: Stopped,
			Set: countError, Emit: tooManyErrors, Note: lost + "; LogFatal"},
		{From: states(Interrupting), On: "SessionExited", To: BuildingPrompt,
			Set: then(forgetProcess, next), Note: "no counter"},
		{From: mayBeEnding, On: "SessionExited",
			Set: reap, Note: "ending = 0: the abandoned process is reaped"},
	}
}

// messages interrupt a session, or wait for the next prompt. A message is never lost:
// where it cannot interrupt, the next prompt carries it. Only a stopped slot refuses
// one.
var messages = []row{
	{From: states(Running), On: "UrgentMessage", When: all(stays), To: Interrupting,
		Set: interrupt, Emit: cancel, Note: "CancelSession"},
	{From: states(Running), On: "UrgentMessage", When: all(leaves), Note: "the next prompt carries it"},
	{From: states(Spawning), On: "UrgentMessage", Set: noteUrgent, Note: "acted on at SessionStarted"},
	{From: queued, On: "UrgentMessage", Note: "the next prompt carries it"},
	{From: states(Interrupting), On: "GraceExceeded", To: BuildingPrompt,
		Set: then(abandonInterrupted, next), Emit: force, Note: "ForceStopSession"},
	{From: mayBeEnding, On: "GraceExceeded",
		Emit: force, Note: "ForceStopSession"},
}

// orders stop a session that would continue, or report what keeps it from working. They
// only ask for the end; what it means is judged at the exit, by Data.Cause.
var orders = []row{
	{From: alive, On: "Limited", If: all(needed), To: CoolingDown,
		Set: park, Emit: limited, Note: "no error; CancelSession, Backoff until the limit resets"},
	{From: alive, On: "Dismissed", If: all(stays), Set: tellToEnd, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "Superseded", If: all(stays), Set: tellToEnd, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "TimedOut", If: all(stays), Set: tellToEnd, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "WentIdle", If: all(stays), Set: tellToEnd, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "ServerLost", If: all(stays), Set: tellToEnd, Emit: cancel, Note: "CancelSession"},
	{From: alive, On: "Trouble", If: all(unreported), Set: report, Emit: reportTrouble, Note: "ReportTrouble"},
}

// waits end by themselves, by the human, or with the task. The human's Resumed ends every
// wait and clears the restarts, but not the errors of the task: only TaskChanged clears
// those.
var waits = []row{
	{From: states(SessionComplete), On: "BackoffElapsed", Set: wake, Note: "rested"},
	{From: states(CoolingDown), On: "BackoffElapsed", To: BuildingPrompt, Set: next},
	{From: states(SessionComplete), On: "Resumed", Set: then(clearRestarts, wake), Note: "rested; restarts 0"},
	{From: states(CoolingDown), On: "Resumed", To: BuildingPrompt, Set: then(clearRestarts, next), Note: "restarts 0"},
	{From: states(Stopped), On: "Resumed", To: Initializing,
		Set: then(clearCountersButTotal, next), Note: "a new machine: all counters 0 but total_errors"},
	{From: states(Initializing, BuildingPrompt, Spawning, Running, Interrupting), On: "Resumed",
		Set: clearRestarts, Note: "restarts 0"},
	{From: states(CoolingDown), On: "TaskChanged", When: all(parked), Set: clearTaskCounters,
		Note: "both error counters 0"},
	{From: states(CoolingDown), On: "TaskChanged", When: all(unparked), If: all(reaped), To: Initializing,
		Set: then(clearTaskCounters, next), Note: "a new machine: all counters 0"},
	{From: states(Initializing, BuildingPrompt, SessionComplete, Stopped), On: "TaskChanged", If: all(reaped),
		To: Initializing, Set: then(clearTaskCounters, next), Note: "a new machine: all counters 0"},
}

// stops end a slot. They apply in every state, also in Stopped, and leave no way to
// start but Resumed or TaskChanged.
var stops = []row{
	{From: States, On: "OperatorStop", To: Stopped,
		Set: abandon, Emit: cancelLiving, Note: "CancelSession if a process lives"},
	{From: States, On: "FatalError", To: Stopped,
		Set: abandon, Emit: fatal, Note: "LogFatal; CancelSession if a process lives"},
}

// byFerrus gives all rows to ferrus: nothing else causes the events of a slot.
func byFerrus(all []row) []row {
	for i := range all {
		all[i].By = []machine.Role{machine.Ferrus}
	}
	return all
}

// lives reports whether the process with the present number may be running.
func lives(s Snap) bool { return slices.Contains(states(Spawning, Running, Interrupting), s.At) }

// late reports an event with a number other than the present process or wait has. Because
// it is refused as STALE, timers and watchers can safely report about a process that may
// be gone.
func late(s Snap, e machine.Event) bool {
	established := slices.Contains(alive, s.At)
	switch e := e.(type) {
	case SessionStarted:
		return s.At != Spawning || e.Session != s.Data.Session
	case SessionExited:
		return e.Session == 0 || e.Session != Living(s)
	case GraceExceeded: // an order to end a session that stays where it is has no second grace
		return established || e.Session == 0 || e.Session != Living(s)
	case BackoffElapsed:
		return !Waiting(s) || e.Session != s.Data.Session
	case interface{ session() uint32 }: // about a running session
		return !established || e.session() != s.Data.Session
	}
	return false
}
