package session

import (
	"errors"
	"slices"
	"testing"
	"time"

	"ferrus/machine"
)

var policy = Policy{MaxConsecutive: 3, MaxTotal: 4}

// horizon is the session number at which the exploration ends.
const horizon = 7

// calls are everything that can happen, with the present number, the one that is
// ending, and ones that are long gone or never were.
func calls(s Snap) []machine.Call {
	if s.Data.Session > horizon {
		return nil
	}
	events := []machine.Event{WorktreeReady{}, PromptReady{"p"}, UrgentMessage{}, OperatorStop{}, FatalError{"disk"}}
	for _, n := range []uint32{s.Data.Session, s.Data.Ending, s.Data.Session - 1, s.Data.Session + 1, 0} {
		events = append(events, SessionStarted{n}, GraceExceeded{n}, BackoffElapsed{n}, Limited{n, 1000})
		for _, o := range []Outcome{Success, Error, Timeout} {
			events = append(events, SessionExited{n, o, true}, SessionExited{n, o, false})
		}
	}
	var all []machine.Call
	for _, e := range events {
		all = append(all, machine.Call{By: machine.Ferrus, Event: e})
	}
	return all
}

// Anything may arrive at any time, and twice. There is never a second process in
// the slot, none is forgotten before it is reaped, and the counters stay within
// their limits.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	tab := Table(policy)
	x, err := machine.Explore(tab, New(1, 0), calls, 200_000, func(e machine.Edge[Data]) error {
		return errors.Join(oneProcess(e), bounded(e.To.Data))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Faults(beyond(tab, x)) {
		t.Error(f)
	}
	t.Logf("%d snapshots, %d rows", len(x.Snaps), len(tab.Rows))
}

// beyond leaves the horizon out of the search for dead ends.
func beyond(tab *machine.Table[Data], x machine.Explored[Data]) *machine.Table[Data] {
	for _, s := range x.Snaps {
		if s.Data.Session > horizon {
			x.Ways[s] = append(x.Ways[s], s.At)
		}
	}
	return tab
}

func oneProcess(e machine.Edge[Data]) error {
	before, after := Living(e.From), Living(e.To)
	exit, reaped := e.Call.Event.(SessionExited)
	if slices.ContainsFunc(e.Effects, func(f machine.Effect) bool { return f.Kind() == "Spawn" }) {
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

func bounded(d Data) error {
	if int(d.Consecutive) > policy.MaxConsecutive || int(d.Total) > policy.MaxTotal || d.Fruitless > FruitlessLimit {
		return errors.New("a counter is beyond its limit")
	}
	return nil
}

func TestBackoff(t *testing.T) {
	for n, want := range map[int]time.Duration{0: 0, 1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second, 4: 16 * time.Second, 5: 32 * time.Second, 6: time.Minute, 1000: time.Minute} {
		if got := BackoffAfter(n); got != want {
			t.Errorf("after %d errors %v, want %v", n, got, want)
		}
	}
}

// steps plays events and returns where they lead and what the last one asks for.
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
	ready := []machine.Event{WorktreeReady{}, PromptReady{"p"}}
	running := append(slices.Clone(ready), SessionStarted{1})
	cases := []struct {
		name   string
		events []machine.Event
		at     machine.State
		data   Data
		last   []machine.Effect
	}{
		{"spawn", ready, Spawning, Data{Session: 1}, []machine.Effect{StorePrompt{"p"}, Spawn{1}}},
		{"an error from Spawning", append(slices.Clone(ready), SessionExited{1, Error, false}), CoolingDown,
			Data{Session: 1, Consecutive: 1, Total: 1}, []machine.Effect{Backoff{1, 2000}}},
		{"success", append(slices.Clone(running), SessionExited{1, Success, true}), SessionComplete, Data{Session: 1}, nil},
		{"the next session", append(slices.Clone(running), SessionExited{1, Success, true}, WorktreeReady{}), BuildingPrompt,
			Data{Session: 2}, []machine.Effect{IncrementSession{2}}},
		{"no progress", append(slices.Clone(running), SessionExited{1, Success, false}), SessionComplete,
			Data{Session: 1, Fruitless: 1, Resting: true}, []machine.Effect{Backoff{1, 2000}}},
		{"an urgent message", append(slices.Clone(running), UrgentMessage{}), Interrupting, Data{Session: 1}, []machine.Effect{CancelSession{1}}},
		{"one while spawning", append(slices.Clone(ready), UrgentMessage{}, SessionStarted{1}), Interrupting, Data{Session: 1}, []machine.Effect{CancelSession{1}}},
		{"grace is over", append(slices.Clone(running), UrgentMessage{}, GraceExceeded{1}), BuildingPrompt,
			Data{Session: 2, Ending: 1}, []machine.Effect{ForceStopSession{1}}},
		{"and it is reaped", append(slices.Clone(running), UrgentMessage{}, GraceExceeded{1}, SessionExited{1, Error, true}, PromptReady{"q"}), Spawning,
			Data{Session: 2}, []machine.Effect{StorePrompt{"q"}, Spawn{2}}},
		{"an interrupt is no error", append(slices.Clone(running), UrgentMessage{}, SessionExited{1, Error, true}), BuildingPrompt, Data{Session: 2}, nil},
		{"limited", append(slices.Clone(running), Limited{1, 90_000}), CoolingDown, Data{Session: 1, Ending: 1},
			[]machine.Effect{CancelSession{1}, Backoff{1, 90_000}}},
		{"stopped while spawning", append(slices.Clone(ready), OperatorStop{}), Stopped, Data{Session: 1, Ending: 1}, []machine.Effect{CancelSession{1}}},
		{"stopped and forced", append(slices.Clone(ready), OperatorStop{}, GraceExceeded{1}), Stopped, Data{Session: 1, Ending: 1}, []machine.Effect{ForceStopSession{1}}},
		{"stopped and reaped", append(slices.Clone(ready), OperatorStop{}, SessionExited{1, Error, false}), Stopped, Data{Session: 1}, nil},
		{"a fatal error", append(slices.Clone(running), FatalError{"disk"}), Stopped, Data{Session: 1, Ending: 1}, []machine.Effect{LogFatal{"disk"}, CancelSession{1}}},
		{"stopped with nothing to stop", []machine.Event{OperatorStop{}}, Stopped, Data{Session: 1}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, effects := steps(t, New(1, 0), c.events...)
			if s.At != c.at || s.Data != c.data || !slices.Equal(effects, c.last) {
				t.Errorf("%s %+v %v, want %s %+v %v", s.At, s.Data, effects, c.at, c.data, c.last)
			}
		})
	}
}

// A session that starts and dies over and over is given up, whether it was
// established or not.
func TestCrashLoopStops(t *testing.T) {
	s, effects := steps(t, New(1, 0), WorktreeReady{})
	for n := uint32(1); s.At != Stopped; n++ {
		s, effects = steps(t, s, PromptReady{}, SessionExited{n, Error, false})
		if s.At == CoolingDown {
			s, _ = steps(t, s, BackoffElapsed{n})
		}
	}
	if s.Data.Consecutive != 3 || len(effects) != 1 || effects[0].Kind() != "LogFatal" {
		t.Errorf("%+v %v", s, effects)
	}
	s, _ = steps(t, New(1, 0), WorktreeReady{})
	for n := uint32(1); s.At != Stopped; n++ {
		s, effects = steps(t, s, PromptReady{}, SessionStarted{n}, SessionExited{n, Timeout, true})
		if s.At == CoolingDown {
			s, _ = steps(t, s, BackoffElapsed{n})
		}
	}
	if s.Data.Consecutive != 1 || s.Data.Total != 4 || effects[0].Kind() != "LogFatal" {
		t.Errorf("%+v %v", s, effects)
	}
}

// Late events are refused as late, so that a runner can drop them.
func TestLateEventsAreStale(t *testing.T) {
	s, _ := steps(t, New(3, 0), WorktreeReady{}, PromptReady{}, SessionStarted{3})
	for _, e := range []machine.Event{SessionStarted{3}, SessionStarted{2}, SessionExited{2, Error, false}, GraceExceeded{3}, BackoffElapsed{2}, Limited{2, 1}} {
		got, _, err := Step(policy, s, e)
		var r *machine.Refusal
		if !errors.As(err, &r) || r.Code != machine.Stale || got != s {
			t.Errorf("%T %v: %v", e, e, err)
		}
	}
}
