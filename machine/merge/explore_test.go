package merge

import (
	"errors"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/machinetest"
)

const batch = 4

var bools = []bool{false, true}

// calls returns everything that any role may try in a snapshot: every event, by every role, with
// facts of every kind, and with answers that are right, late or early.
func calls(s Snap) []machinetest.Call {
	next := 3 - max(s.Data.Ticket, 1) // 1 and 2 in turn: a new one, and the previous one
	events := []machine.Event{Again{next}, Accept{next}, Withdrawn{}, Resume{}, Move{},
		Move{Barred: "main is checked out"}, Move{Changed: "#12"}}
	for _, c := range []Claim{{}, {Lock: "another project"}, {Lane: "a gate"}} {
		events = append(events, Conflict{c})
		for n := range batch + 2 {
			events = append(events, Open{n, next, false, false, c}, Open{n, next, true, false, c},
				Open{n, next, true, true, c})
		}
	}
	for ticket := range uint64(3) {
		events = append(events, GateLost{ticket})
		for _, v := range []Verdict{Green, Red, Unproven, Flaky} {
			events = append(events, Proved{ticket, v, next})
		}
	}
	for _, a := range bools {
		events = append(events, Landed{a}, Moved{a}, Returned{a, true}, Returned{a, false})
	}
	var every []machinetest.Call
	for _, e := range events {
		for _, by := range []machine.Role{machine.Supervisor, machine.Executor, machine.Human, machine.Ferrus} {
			every = append(every, machinetest.Call{By: by, Event: e})
		}
	}
	return every
}

// Events arrive late, twice, out of role and out of order: every row is used, no two rows apply at
// once, and no snapshot is a dead end.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it walks through many states")
	}
	tab := Table(batch)
	x, err := machinetest.Explore(tab, Start, calls, 5_000, func(e machinetest.Edge[Data]) error {
		return errors.Join(sound(e.To), justified(e))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.Faults(tab) {
		t.Error(f)
	}
	t.Logf("%d snapshots, %d rows", len(x.Snaps), len(tab.Rows))
}

func sound(s Snap) error {
	d := s.Data
	switch {
	case !slices.Contains(States, s.At):
		return errors.New("no such state")
	case (s.At == StateIdle) != (d.Picks == 0):
		return errors.New("a batch while Idle, or none")
	case d.Picks > 0 && (d.Green >= d.Red || d.Red > d.Picks+1 || d.Green < None):
		return errors.New("a candidate is green and red")
	case s.At == StateProving && (d.At <= d.Green || d.At >= d.Red):
		return errors.New("a candidate is proven that is known already")
	case s.At == StateProving && (d.Ticket != 0) == d.Flaky, s.At != StateProving && (d.Ticket != 0 || d.Flaky):
		return errors.New("a gate without an end, or a batch that waits for nothing")
	case (s.At == StateProven || s.At == StateMoving) && (d.Green < 1 || d.Red != d.Green+1):
		return errors.New("the branch would move to a candidate that is not green, or not the largest")
	case s.At == StateReturning && (d.Red != d.Green+1 || d.Red > d.Picks):
		return errors.New("an item is returned that is not known to be red")
	case d.Held != NotHeld && s.At != StateIdle:
		return errors.New("held during a batch")
	}
	return nil
}

// justified checks of each step, independently of the table, that its conditions held.
func justified(e machinetest.Edge[Data]) error {
	ok, before := true, e.From.Data
	switch event := e.Call.Event.(type) {
	case Open:
		most := batch
		if before.Moved == MovedLimit {
			most = 1
		}
		ok = event.Claim == Claim{} && before.Held == NotHeld && (!event.Rejudge || event.Picks == 1)
		ok = ok && event.Picks >= 1 && event.Picks <= most
	case Conflict:
		ok = event.Claim == Claim{} && before.Held == NotHeld
	case Proved:
		ok = event.Ticket == before.Ticket && before.Ticket != 0
		if event.Verdict == Red && !before.Rerun {
			ok = ok && e.To.Data.Red == before.Red // the first FAIL decides nothing
		}
		if before.Rerun && event.Verdict == Green || event.Verdict == Flaky {
			ok = ok && e.To.Data.Green == before.Green && e.To.Data.Flaky
		}
		// An item whose change differs from the approved one moves no branch.
		ok = ok && (!before.Rejudge || e.To.At != StateProven)
	case GateLost:
		ok = event.Ticket == before.Ticket && before.Ticket != 0
	case Again, Accept:
		ok = before.Flaky && e.Call.By == machine.Human && (!before.Rejudge || e.To.At != StateProven)
	case Move:
		ok = event == Move{}
	case Landed:
		ok = event.Contained
	case Moved:
		ok = e.From.At != StateMoving || !event.Contained
		ok = ok && (e.From.At != StateIdle || before.Held == TargetRed)
	case Returned:
		ok = !event.Lives && event.Taken
	case Resume:
		ok = before.Held != NotHeld
	}
	if e.Call.By == machine.Supervisor || e.Call.By == machine.Executor || !ok {
		return errors.New("without cause, or out of role")
	}
	return nil
}

// Whichever candidates of a batch are green or red, the branch moves only to a candidate that
// passed, and an item is returned only if the candidate with it failed twice and the previous one
// passed. A red branch returns no item. The search proves no more candidates than a binary search,
// and each red one twice.
func TestEveryColouring(t *testing.T) {
	t.Parallel()
	most := 0
	for picks := 1; picks <= 6; picks++ {
		for colours := range 1 << (picks + 1) {
			isGreen := func(at int) bool { return colours&(1<<at) != 0 }
			gates := prove(t, picks, isGreen)
			most = max(most, gates)
		}
	}
	if most > 4 { // the last one, and a search over the six below it
		t.Errorf("a batch of 6 needed gates on %d candidates, want at most 4", most)
	}
}

// prove steps one batch to its end, and returns how many candidates were proven.
func prove(t *testing.T, picks int, isGreen func(int) bool) (proven int) {
	t.Helper()
	tab, s, ticket := Table(6), Start, uint64(1)
	step := func(e machine.Event) {
		t.Helper()
		var err error
		if s, _, err = tab.Step(s, machine.Ferrus, e); err != nil {
			t.Fatal(err)
		}
	}
	step(Open{Picks: picks, Next: ticket})
	seen, times := map[int]bool{}, map[int]int{}
	for s.At == StateProving {
		at, v := s.Data.At, Red
		if isGreen(at) {
			v = Green
		}
		seen[at], times[at] = isGreen(at), times[at]+1
		ticket++
		step(Proved{s.Data.Ticket, v, ticket})
	}
	d := s.Data
	switch s.At {
	case StateIdle:
		if d.Held != TargetRed || isGreen(0) || times[0] != 2 {
			t.Errorf("%d items: held for %q, with a green branch", picks, d.Held)
		}
		return len(seen)
	case StateProven:
		if !seen[d.Green] {
			t.Errorf("%d items: the branch moves to %d, which was not seen green", picks, d.Green)
		}
	}
	if d.Red <= picks && (times[d.Red] != 2 || seen[d.Red] || !seen[d.Red-1]) {
		t.Errorf("%d items: item %d is returned; seen %v", picks, d.Red, seen)
	}
	return len(seen)
}

func TestRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from Snap
		e    machine.Event
		want string
	}{
		{Start, Open{Picks: 5}, "a batch has 1 to 4 items, not 5"},
		{Snap{At: StateIdle, Data: Data{Moved: MovedLimit}}, Open{Picks: 2},
			"a batch has one item after the branch moved 3 times"},
		{Start, Open{Picks: 1, Claim: Claim{Lane: "a gate of #14 runs"}}, "a gate of #14 runs"},
		{Snap{At: StateProven, Data: Data{Picks: 1, Green: 1, Red: 2}}, Move{Barred: "main is checked out"},
			"main is checked out"},
	} {
		_, _, err := Table(batch).Step(test.from, machine.Ferrus, test.e)
		r := machine.AsRefusal(err)
		if r == nil || len(r.Failed) != 1 || r.Failed[0].Reason != test.want {
			t.Errorf("%s while %s: got %+v, want %q", test.e.Kind(), test.from.At, r, test.want)
		}
	}
	_, _, err := Table(batch).Step(Snap{At: StateProving, Data: Data{Ticket: 7}}, machine.Ferrus, Proved{Ticket: 6})
	if r := machine.AsRefusal(err); r == nil || r.Code != machine.Stale {
		t.Errorf("a late verdict: %v", err)
	}
}
