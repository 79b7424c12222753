package machinetest

import (
	"errors"
	"strings"
	"testing"

	"ferrus/machine"
)

// A door is opened and closed, and the human may hold it.
type door struct {
	Closed int
	Pause  machine.Stack
}

type event machine.Kind

func (e event) Kind() machine.Kind { return machine.Kind(e) }

func doors() *machine.Table[door] {
	human := []machine.Role{machine.Human}
	return &machine.Table[door]{
		Name: "door", States: []machine.State{"open", "closed", "held"},
		Stack: func(d *door) *machine.Stack { return &d.Pause },
		Rows: []machine.Row[door]{
			{From: []machine.State{"open"}, On: "close", By: human, To: "closed",
				Set: func(s machine.Snap[door], _ machine.Event) door { s.Data.Closed = 1; return s.Data }},
			{From: []machine.State{"closed"}, On: "open", By: human, To: "open",
				Set: func(s machine.Snap[door], _ machine.Event) door { s.Data.Closed = 0; return s.Data }},
			{From: []machine.State{"open", "closed"}, On: "pause", By: human, To: "held", Push: true},
			{From: []machine.State{"held"}, On: "back", By: human, Return: true,
				May: []machine.State{"open", "closed"}},
		},
	}
}

func calls(machine.Snap[door]) (all []Call) {
	for _, r := range []machine.Role{machine.Executor, machine.Human} {
		for _, e := range []event{"close", "open", "pause", "back"} {
			all = append(all, Call{r, e})
		}
	}
	return all
}

func accept(Edge[door]) error { return nil }

func TestExploreSeesEverySnapshot(t *testing.T) {
	x, err := Explore(doors(), machine.Snap[door]{At: "open"}, calls, 10, accept)
	if err != nil || len(x.Faults(doors())) != 0 || len(x.Snaps) != 4 {
		t.Errorf("%v %v %d", err, x.Faults(doors()), len(x.Snaps))
	}
	if _, err := Explore(doors(), machine.Snap[door]{At: "open"}, calls, 2, accept); err == nil {
		t.Error("a limit is not kept")
	}
}

func TestExploreFindsFaults(t *testing.T) {
	twice := doors()
	twice.Rows = append(twice.Rows, twice.Rows[2])
	var ambiguous *machine.Ambiguous
	if _, err := Explore(twice, machine.Snap[door]{At: "open"}, calls, 10, accept); !errors.As(err, &ambiguous) {
		t.Errorf("two rows for one event: %v", err)
	}
	stuck := doors()
	stuck.Rows = append(stuck.Rows[:1],
		machine.Row[door]{From: []machine.State{"nowhere"}, On: "pause", By: []machine.Role{machine.Human}})
	x, err := Explore(stuck, machine.Snap[door]{At: "open"}, calls, 10, accept)
	faults := strings.Join(x.Faults(stuck), "\n")
	if err != nil || !strings.Contains(faults, "never applies") || !strings.Contains(faults, "no way out") {
		t.Errorf("%v %s", err, faults)
	}
}
