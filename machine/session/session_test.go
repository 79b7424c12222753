package session

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ferrus/machine"
	"ferrus/machine/machinetest"
)

var policy = Policy{MaxConsecutive: 3, MaxTotal: 4}

// horizon is the session number at which the exploration stops.
const horizon = 4

// exited is the end of a session whose work is wanted, without trouble.
func exited(n uint32, o Outcome, progress bool) SessionExited {
	return SessionExited{Session: n, Outcome: o, Progress: progress}
}

// ends returns every end of a session; for sessions other than the present one, a few are enough.
func ends(n uint32, present bool) (all []machine.Event) {
	if !present {
		return []machine.Event{exited(n, Success, true), exited(n, Error, false)}
	}
	for _, o := range []Outcome{Success, Error, Timeout} {
		for _, trouble := range []string{"", "signed out"} {
			all = append(all, SessionExited{n, o, true, true, trouble}, SessionExited{n, o, true, false, trouble},
				SessionExited{n, o, false, true, trouble}, SessionExited{n, o, false, false, trouble})
		}
	}
	return all
}

// calls returns everything that can happen, with the present number, the number of the process that
// is ending, and numbers that are long gone or never existed.
func calls(s Snap) []machinetest.Call {
	if s.Data.Session > horizon {
		return nil
	}
	events := []machine.Event{
		WorktreeReady{}, PromptReady{"p"}, UrgentMessage{}, OperatorStop{}, FatalError{"disk"},
		Resumed{}, TaskChanged{},
	}
	numbers := []uint32{s.Data.Session, s.Data.Ending, s.Data.Session - 1, s.Data.Session + 1, 0}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		events = append(events, SessionStarted{n}, Progressed{n}, GraceExceeded{n}, BackoffElapsed{n},
			Limited{n, 1000}, Limited{n, 0},
			Dismissed{n}, Superseded{n}, TimedOut{n}, WentIdle{n}, ServerLost{n}, Trouble{n, "signed out"})
		events = append(events, ends(n, n == s.Data.Session)...)
	}
	var all []machinetest.Call
	for _, e := range events {
		all = append(all, machinetest.Call{By: machine.Ferrus, Event: e})
	}
	return all
}

// Anything may arrive at any time, and twice. There is never a second process in the slot, no
// process is forgotten before it is reaped or told to end without an order, and repeated failures
// stop the slot.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	tab := Table(policy)
	x, err := machinetest.Explore(tab, New(1, 0), calls, 200_000, func(e machinetest.Edge[Data]) error {
		return errors.Join(oneProcess(e), causedEnd(e), stopsInTime(e), sound(e.To))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Faults(beyond(tab, x)) {
		t.Error(f)
	}
	t.Logf("%d snapshots, %d rows", len(x.Snaps), len(tab.Rows))
}

// beyond excludes the horizon from the search for dead ends.
func beyond(tab *machine.Table[Data], x machinetest.Explored[Data]) *machine.Table[Data] {
	for _, s := range x.Snaps {
		if s.Data.Session > horizon {
			x.Ways[s] = append(x.Ways[s], s.At)
		}
	}
	return tab
}

func oneProcess(e machinetest.Edge[Data]) error {
	before, after := Living(e.From), Living(e.To)
	exit, reaped := e.Call.Event.(SessionExited)
	if asks(e, "Spawn") {
		if before != 0 || e.From.Data.Ending != 0 {
			return errors.New("a second process")
		}
		return nil
	}
	switch {
	case lives(e.To) && e.To.Data.Ending != 0:
		return errors.New("a process is ending beside the one that lives")
	case before != 0 && after == 0 && (!reaped || exit.Session != before):
		return errors.New("forgets a process")
	case before != after && after != 0:
		return errors.New("takes one process for another")
	case reaped && exit.Session != before:
		return errors.New("heeds a late exit")
	}
	return nil
}

func asks(e machinetest.Edge[Data], kind machine.Kind) bool {
	return slices.ContainsFunc(e.Effects, func(f machine.Effect) bool { return f.Kind() == kind })
}

// causedEnd checks that a process gets one order to end at a time, each with its cause.
func causedEnd(e machinetest.Edge[Data]) error {
	before, after := e.From.Data, e.To.Data
	switch {
	case asks(e, "CancelSession") && after.Cause == "":
		return errors.New("ends a process without a cause")
	case before.Cause == "" && after.Cause != "" && !asks(e, "CancelSession"):
		return errors.New("has a cause and ends no process")
	case asks(e, "ForceStopSession") && before.Cause == "":
		return errors.New("kills what was not being stopped")
	case Living(e.From) == 0 && (asks(e, "CancelSession") || asks(e, "ForceStopSession")):
		return errors.New("ends what does not live")
	}
	return nil
}

// stopsInTime checks that errors, fruitless sessions, restarts and troubles stay within their
// limits: the last one stops the slot or asks the human.
func stopsInTime(e machinetest.Edge[Data]) error {
	from, to := e.From.Data.Counters, e.To.Data.Counters
	if to.Total > from.Total && (int(to.Total) >= policy.MaxTotal || int(to.Consecutive) >= policy.MaxConsecutive) !=
		(e.To.At == Stopped) && to.Troubles < TroubleLimit {
		return errors.New("an error is at a limit and does not stop the slot, or stops it before")
	}
	if to.Troubles == TroubleLimit && e.To.At != Stopped {
		return errors.New("a trouble lasts and does not stop the slot")
	}
	exit, _ := e.Call.Event.(SessionExited)
	counted := e.To.At == SessionComplete && lives(e.From) && !isUnwanted(e.From, exit)
	often := from.Restarts == RestartLimit || !exit.Progress && nextFruitless(e.From.Data) >= FruitlessLimit
	if asks(e, "NoProgress") != (counted && often) {
		return errors.New("the human is not asked in time, or too early")
	}
	if e.To.At == Stopped && e.From.At != Stopped && !asks(e, "LogFatal") && e.Call.Event.Kind() != "OperatorStop" {
		return errors.New("stops without a word")
	}
	return nil
}

// sound checks that each part of the data is set only in a state in which it means something.
func sound(s Snap) error {
	d := s.Data
	switch {
	case d.Cause != "" && Living(s) == 0, d.Ending != 0 && d.Cause == "":
		return errors.New("a cause without a process, or a process that is ending without a cause")
	case (s.At == Interrupting) && d.Cause != "UrgentMessage":
		return errors.New("interrupts without a message")
	case d.Parked && s.At != CoolingDown, d.Resting && s.At != SessionComplete, d.Reported && !lives(s):
		return errors.New("remembers what is over")
	case int(d.Consecutive) > policy.MaxConsecutive, d.Fruitless > FruitlessLimit, d.Restarts > RestartLimit,
		d.Troubles > TroubleLimit, d.Limits > limitSteps, d.Consecutive > d.Total:
		return errors.New("a counter is beyond its limit")
	}
	return nil
}

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 0, 1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second,
		4: 16 * time.Second, 5: 32 * time.Second, 6: time.Minute, 1000: time.Minute} {
		if got := backoffAfter(n); got != want {
			t.Errorf("after %d errors %v, want %v", n, got, want)
		}
	}
}

// steps applies events and returns where they lead and what the last one asks for.
func steps(t *testing.T, s Snap, events ...machine.Event) (Snap, []machine.Effect) {
	t.Helper()
	var effects []machine.Effect
	for _, e := range events {
		var err error
		if s, effects, err = Step(policy, s, e); err != nil {
			t.Fatal(err)
		}
	}
	return s, effects
}

func TestRows(t *testing.T) {
	t.Parallel()
	type (
		events  = []machine.Event
		effects = []machine.Effect
	)
	ready := events{WorktreeReady{}, PromptReady{"p"}}
	running := append(slices.Clone(ready), SessionStarted{1})
	caused := func(cause machine.Kind) Data { return Data{Session: 1, Cause: cause} }
	ending := func(cause machine.Kind) Data { return Data{Session: 1, Ending: 1, Cause: cause} }
	counted := func(session uint32, c Counters) Data { return Data{Session: session, Counters: c} }
	asked := slices.Clone(running)
	for n := range uint32(FruitlessLimit) {
		asked = append(asked, exited(n+1, Success, false), BackoffElapsed{n + 1}, WorktreeReady{}, PromptReady{"p"},
			SessionStarted{n + 2})
	}
	for name, c := range map[string]struct {
		before events
		events events
		at     machine.State
		data   Data
		last   effects
	}{
		"spawn": {events{}, ready, Spawning, Data{Session: 1}, effects{StorePrompt{"p"}, Spawn{1}}},
		"an error from Spawning": {ready, events{exited(1, Error, false)}, CoolingDown,
			counted(1, Counters{Consecutive: 1, Total: 1}), effects{Backoff{1, 2000}}},
		"success": {running, events{exited(1, Success, true)}, SessionComplete, counted(1, Counters{Restarts: 1}), nil},
		"success, and nothing is left to do": {running, events{SessionExited{1, Success, true, true, ""}},
			SessionComplete,
			Data{Session: 1}, nil},
		"an error of who is not wanted": {running, events{SessionExited{1, Error, false, true, ""}}, SessionComplete,
			Data{Session: 1}, nil},
		"the next session": {running, events{exited(1, Success, true), WorktreeReady{}}, BuildingPrompt,
			counted(2, Counters{Restarts: 1}), effects{IncrementSession{2}}},
		"no progress": {running, events{exited(1, Success, false)}, SessionComplete,
			Data{Session: 1, Resting: true, Counters: Counters{Fruitless: 1, Restarts: 1}}, effects{Backoff{1, 2000}}},
		"no progress again, after the human was asked": {asked, events{exited(4, Success, false)}, SessionComplete,
			Data{Session: 4, Resting: true, Counters: Counters{Fruitless: 1, Restarts: 1}}, effects{Backoff{4, 2000}}},

		"an urgent message": {running, events{UrgentMessage{}}, Interrupting, caused("UrgentMessage"),
			effects{CancelSession{1}}},
		"one while spawning": {ready, events{UrgentMessage{}, SessionStarted{1}}, Interrupting,
			caused("UrgentMessage"), effects{CancelSession{1}}},
		"one for a session that ends": {running, events{Dismissed{1}, UrgentMessage{}}, Running,
			caused("Dismissed"), nil},
		"grace is over": {running, events{UrgentMessage{}, GraceExceeded{1}}, BuildingPrompt,
			Data{Session: 2, Ending: 1, Cause: "UrgentMessage"}, effects{ForceStopSession{1}}},
		"and it is reaped": {running, events{UrgentMessage{}, GraceExceeded{1}, exited(1, Error, true),
			PromptReady{"q"}}, Spawning,
			Data{Session: 2}, effects{StorePrompt{"q"}, Spawn{2}}},
		"an interrupt is no error": {running, events{UrgentMessage{}, exited(1, Error, true)}, BuildingPrompt,
			Data{Session: 2}, nil},

		"dismissed": {running, events{Dismissed{1}}, Running, caused("Dismissed"), effects{CancelSession{1}}},
		"dismissed and gone": {running, events{Dismissed{1}, exited(1, Error, false)}, SessionComplete,
			Data{Session: 1}, nil},
		"superseded and gone": {running, events{Superseded{1}, exited(1, Error, false)}, SessionComplete,
			Data{Session: 1}, nil},
		"out of time": {running, events{TimedOut{1}, SessionExited{1, Success, true, true, ""}}, CoolingDown,
			counted(1, Counters{Consecutive: 1, Total: 1}), effects{Backoff{1, 2000}}},
		"idle": {running, events{WentIdle{1}, exited(1, Error, false)}, CoolingDown,
			counted(1, Counters{Consecutive: 1, Total: 1}), effects{Backoff{1, 2000}}},
		"without a server": {ready, events{ServerLost{1}, exited(1, Error, false)}, CoolingDown,
			counted(1, Counters{Consecutive: 1, Total: 1}), effects{Backoff{1, 2000}}},
		"a trouble": {running, events{Trouble{1, "signed out"}}, Running,
			Data{Session: 1, Reported: true}, effects{ReportTrouble{"signed out"}}},

		"limited": {running, events{Limited{1, 90_000}}, CoolingDown,
			Data{Session: 1, Ending: 1, Cause: "Limited", Parked: true}, effects{CancelSession{1}, Backoff{1, 90_000}}},
		"limited without a reset time": {running, events{Limited{1, 0}}, CoolingDown,
			Data{Session: 1, Ending: 1, Cause: "Limited", Parked: true, Counters: Counters{Limits: 1}},
			effects{CancelSession{1}, Backoff{1, 300_000}}},
		"limited, and another task": {running, events{Limited{1, 90_000}, exited(1, Error, false),
			TaskChanged{}}, CoolingDown,
			Data{Session: 1, Parked: true}, nil},
		"limited, and resumed": {running, events{Limited{1, 90_000}, exited(1, Error, false), Resumed{}},
			BuildingPrompt,
			Data{Session: 2}, nil},

		"stopped while spawning": {ready, events{OperatorStop{}}, Stopped, ending("OperatorStop"),
			effects{CancelSession{1}}},
		"stopped and forced": {ready, events{OperatorStop{}, GraceExceeded{1}}, Stopped,
			ending("OperatorStop"), effects{ForceStopSession{1}}},
		"stopped and reaped": {ready, events{OperatorStop{}, exited(1, Error, false)}, Stopped, Data{Session: 1}, nil},
		"stopped and resumed": {ready, events{OperatorStop{}, exited(1, Error, false), Resumed{}}, Initializing,
			Data{Session: 2}, nil},
		"a fatal error": {running, events{FatalError{"disk"}}, Stopped,
			ending("FatalError"), effects{LogFatal{"disk"}, CancelSession{1}}},
		"stopped with nothing to stop": {events{}, events{OperatorStop{}}, Stopped, Data{Session: 1}, nil},
		"another task": {running, events{exited(1, Error, false), TaskChanged{}}, Initializing,
			Data{Session: 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, last := steps(t, New(1, 0), append(slices.Clone(c.before), c.events...)...)
			if s.At != c.at || s.Data != c.data || !slices.Equal(last, c.last) {
				t.Errorf("%s %+v %v, want %s %+v %v", s.At, s.Data, last, c.at, c.data, c.last)
			}
		})
	}
}

// The slot stops when its sessions die again and again, whether they were established or not.
func TestCrashLoopStops(t *testing.T) {
	s, effects := steps(t, New(1, 0), WorktreeReady{})
	for n := uint32(1); s.At != Stopped; n++ {
		s, effects = steps(t, s, PromptReady{}, exited(n, Error, false))
		if s.At == CoolingDown {
			s, _ = steps(t, s, BackoffElapsed{n})
		}
	}
	if s.Data.Consecutive != 3 || len(effects) != 1 || effects[0].Kind() != "LogFatal" {
		t.Errorf("after the crashes the slot is %+v, with the effects %v", s, effects)
	}
	s, _ = steps(t, New(1, 0), WorktreeReady{})
	for n := uint32(1); s.At != Stopped; n++ {
		s, effects = steps(t, s, PromptReady{}, SessionStarted{n}, exited(n, Timeout, true))
		if s.At == CoolingDown {
			s, _ = steps(t, s, BackoffElapsed{n})
		}
	}
	if s.Data.Consecutive != 3 || s.Data.Total != 3 || effects[0].Kind() != "LogFatal" {
		t.Errorf("after the crashes the slot is %+v, with the effects %v", s, effects)
	}
}

// Only progress ends a row of errors: a session that is established and exits right after its first
// call waits longer each time, and one that made progress starts a new row.
func TestProgressEndsARowOfErrors(t *testing.T) {
	s, _ := steps(t, New(1, 0), WorktreeReady{}, PromptReady{}, SessionStarted{1})
	s, effects := steps(t, s, exited(1, Error, false), BackoffElapsed{1}, PromptReady{}, SessionStarted{2},
		exited(2, Error, false))
	if !slices.Equal(effects, []machine.Effect{Backoff{2, 4000}}) || s.Data.Consecutive != 2 {
		t.Errorf("after a session without progress: %+v, with the effects %v", s, effects)
	}
	s, effects = steps(t, s, BackoffElapsed{2}, PromptReady{}, SessionStarted{3}, Progressed{3}, exited(3, Error, true))
	if !slices.Equal(effects, []machine.Effect{Backoff{3, 2000}}) || s.Data.Consecutive != 1 || s.Data.Total != 3 {
		t.Errorf("after a session with progress: %+v, with the effects %v", s, effects)
	}
}

// Late events are refused as late, so that a runner can drop them.
func TestLateEventsAreStale(t *testing.T) {
	s, _ := steps(t, New(3, 0), WorktreeReady{}, PromptReady{}, SessionStarted{3})
	for _, e := range []machine.Event{SessionStarted{3}, SessionStarted{2}, exited(2, Error, false), GraceExceeded{3},
		BackoffElapsed{2}, Limited{2, 1}} {
		got, _, err := Step(policy, s, e)
		var r *machine.Refusal
		if !errors.As(err, &r) || r.Code != machine.Stale || got != s {
			t.Errorf("%T %v: %v", e, e, err)
		}
	}
}
