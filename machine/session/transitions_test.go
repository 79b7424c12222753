package session

import (
	"slices"
	"testing"

	"ferrus/machine"
)

// The transitions that every session machine of this kind is known by hold, each with its side
// effect, whatever else the table has.
func TestKnownTransitions(t *testing.T) {
	t.Parallel()
	snap := func(at machine.State, session uint32) Snap { return Snap{At: at, Data: Data{Session: session}} }
	interrupting := Snap{At: Interrupting, Data: Data{Session: 4, Cause: "UrgentMessage"}}
	for _, c := range []struct {
		from Snap
		on   machine.Event
		to   []machine.State // with room for errors, and without
		asks []machine.Kind
	}{
		{snap(Initializing, 1), WorktreeReady{}, states(BuildingPrompt), nil},
		{snap(BuildingPrompt, 1), PromptReady{"p"}, states(Spawning), []machine.Kind{"StorePrompt", "Spawn"}},
		{snap(Spawning, 4), SessionStarted{4}, states(Running), nil},
		{snap(Spawning, 4), exited(4, Error, true), states(CoolingDown, Stopped), nil},
		{snap(Spawning, 4), exited(4, Timeout, true), states(CoolingDown, Stopped), nil},
		{snap(Running, 4), exited(4, Success, true), states(SessionComplete), nil},
		{snap(Running, 4), exited(4, Error, true), states(CoolingDown, Stopped), nil},
		{snap(Running, 4), exited(4, Timeout, true), states(CoolingDown, Stopped), nil},
		{snap(Running, 4), UrgentMessage{}, states(Interrupting), []machine.Kind{"CancelSession"}},
		{interrupting, exited(4, Success, true), states(BuildingPrompt), nil},
		{interrupting, exited(4, Error, true), states(BuildingPrompt), nil},
		{interrupting, exited(4, Timeout, true), states(BuildingPrompt), nil},
		{interrupting, GraceExceeded{4}, states(BuildingPrompt), []machine.Kind{"ForceStopSession"}},
		{snap(SessionComplete, 4), WorktreeReady{}, states(BuildingPrompt), []machine.Kind{"IncrementSession"}},
		{snap(CoolingDown, 4), BackoffElapsed{4}, states(BuildingPrompt), nil},
	} {
		for i, p := range []Policy{{MaxConsecutive: 5, MaxTotal: 20}, {}} {
			want, asks := c.to[min(i, len(c.to)-1)], c.asks
			if len(c.to) > 1 {
				asks = [][]machine.Kind{{"Backoff"}, {"LogFatal"}}[i]
			}
			check(t, p, c.from, c.on, want, asks)
		}
	}
	for _, state := range States {
		s := snap(state, 4)
		stop := []machine.Kind(nil)
		if lives(s) {
			stop = append(stop, "CancelSession")
		}
		check(t, policy, s, OperatorStop{}, Stopped, stop)
		check(t, policy, s, FatalError{"disk"}, Stopped, append([]machine.Kind{"LogFatal"}, stop...))
	}
}

func check(t *testing.T, p Policy, from Snap, on machine.Event, to machine.State, asks []machine.Kind) {
	t.Helper()
	after, effects, err := Step(p, from, on)
	var kinds []machine.Kind
	for _, e := range effects {
		kinds = append(kinds, e.Kind())
	}
	if err != nil || after.At != to || !slices.Equal(kinds, asks) {
		t.Errorf("%s --%s--> %s, asks for %v (%v); want %s and %v", from.At, on.Kind(), after.At, kinds, err, to, asks)
	}
}

// Both counters count errors from Spawning and Running, and nothing else.
func TestErrorCounters(t *testing.T) {
	t.Parallel()
	p := Policy{MaxConsecutive: 5, MaxTotal: 20}
	for _, state := range States {
		s := Snap{At: state, Data: Data{Session: 4, Counters: Counters{Consecutive: 2, Total: 7}}}
		if state == Interrupting {
			s.Data.Cause = "UrgentMessage"
		}
		for _, on := range []machine.Event{
			exited(4, Error, true), exited(4, Timeout, true), exited(4, Success, true), SessionStarted{4},
			Progressed{4},
		} {
			after, _, err := Step(p, s, on)
			if err != nil {
				continue
			}
			exit, ended := on.(SessionExited)
			want := Counters{Consecutive: 0, Total: 7} // progress, or a success
			switch {
			case state == Interrupting, on.Kind() == SessionStarted{}.Kind():
				want.Consecutive = 2
			case ended && exit.Outcome != Success:
				want = Counters{Consecutive: 3, Total: 8}
			}
			if got := after.Data.Counters; got.Consecutive != want.Consecutive || got.Total != want.Total {
				t.Errorf("%s, %s: %+v, want %+v", state, on.Kind(), got, want)
			}
		}
	}
}

// The fifth error in a row stops a slot, and so does the twentieth of a task.
func TestThresholds(t *testing.T) {
	t.Parallel()
	p := Policy{MaxConsecutive: 5, MaxTotal: 20}
	for before, want := range map[Counters]machine.State{
		{Consecutive: 3, Total: 3}:  CoolingDown,
		{Consecutive: 4, Total: 4}:  Stopped,
		{Consecutive: 0, Total: 18}: CoolingDown,
		{Consecutive: 0, Total: 19}: Stopped,
	} {
		check(t, p, Snap{At: Running, Data: Data{Session: 20, Counters: before}}, exited(20, Error, true), want,
			map[machine.State][]machine.Kind{CoolingDown: {"Backoff"}, Stopped: {"LogFatal"}}[want])
	}
}
