package pair

import (
	"errors"
	"slices"
	"testing"

	"ferrus/machine"
	"ferrus/machine/machinetest"
)

var policy = Policy{Iterations: 3, Silent: 3}

var roles = []machine.Role{Primary, Secondary, machine.Human, machine.Ferrus}

// calls returns everything that may be tried in any snapshot: every event, with facts of every
// kind, by every role.
func calls(Snap) []machinetest.Call {
	events := []machine.Event{Started{}, StartFailed{}, Broken{}, Cancel{}, Resume{}}
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			turn := Turn{Edited: a, Moved: b}
			events = append(events, Done{turn}, Pass{turn}, Rework{turn}, Fail{turn}, NoSignal{turn}, Gated{a, b})
		}
	}
	var all []machinetest.Call
	for _, e := range events {
		for _, r := range roles {
			all = append(all, machinetest.Call{By: r, Event: e})
		}
	}
	return all
}

// Events arrive late, twice, out of role and out of order, in every mode: some mode uses every row,
// no two rows apply at once, no snapshot is a dead end, and a run is complete only if its gate was
// green and every voting agent passed it.
func TestEverySnapshot(t *testing.T) {
	t.Parallel()
	tab := Table(policy)
	var sum machinetest.Explored[Data]
	for _, m := range Modes {
		x, err := machinetest.Explore(tab, Start(m), calls, 50_000, func(e machinetest.Edge[Data]) error {
			return errors.Join(sound(e.To), completed(e), votes(e), inRole(e), known(e))
		})
		if err != nil {
			t.Fatalf("%s: %v", m, err)
		}
		t.Logf("%s: %d snapshots", m, len(x.Snaps))
		sum = joined(sum, x)
		sum = joined(sum, higher(t, x.Snaps))
	}
	for _, f := range sum.Faults(tab) {
		t.Error(f)
	}
}

// higher returns what a raised limit leads to, from every snapshot that the limit ended.
func higher(t *testing.T, snaps []Snap) machinetest.Explored[Data] {
	var sum machinetest.Explored[Data]
	raised := Table(Policy{Iterations: policy.Iterations + 1, Silent: policy.Silent})
	for _, s := range snaps {
		if s.Data.Reason != MaxIterations {
			continue
		}
		x, err := machinetest.Explore(raised, s, calls, 50_000, func(e machinetest.Edge[Data]) error {
			return errors.Join(sound(e.To), completed(e), votes(e), inRole(e), known(e))
		})
		if err != nil {
			t.Fatalf("with a higher limit, from %v: %v", s, err)
		}
		sum = joined(sum, x)
	}
	return sum
}

func joined(a, b machinetest.Explored[Data]) machinetest.Explored[Data] {
	if a.Used == nil {
		return b
	}
	a.Snaps = append(a.Snaps, b.Snaps...)
	for i := range b.Used {
		a.Used[i] += b.Used[i]
		for s := range b.Leads[i] {
			a.Leads[i][s] = true
		}
	}
	for s, ways := range b.Ways {
		a.Ways[s] = ways
	}
	return a
}

func sound(s Snap) error {
	d := s.Data
	failed := s.At == StateFailed
	switch {
	case !slices.Contains(States, s.At):
		return errors.New("no such state")
	case d.Iteration > policy.Iterations+1 || d.Silent >= policy.Silent:
		return errors.New("a counter is beyond its limit")
	case (s.At == StateInit || failed && d.Resume == StateInit) != (d.Iteration == 0):
		return errors.New("an iteration before the start, or none after it")
	case failed != (d.Reason != "") || failed != (d.Resume != ""):
		return errors.New("a reason without a failure, or a failure without a reason and a way back")
	case d.Pending != NoneYet && d.Pending != SignalDone && d.Pending != SignalPass:
		return errors.New("a gate for a signal that needs none")
	case d.Pending != NoneYet && (s.At == StateInit || s.At == StateComplete):
		return errors.New("a gate where none runs")
	case d.Mode != Consensus && s.At != StateComplete && (d.Primary || d.Secondary):
		return errors.New("a vote that does not count")
	case d.Mode == Single && (s.At == StateReviewing || d.Secondary):
		return errors.New("a reviewer in single mode")
	}
	return nil
}

// completed says what must hold before a run is complete.
func completed(e machinetest.Edge[Data]) error {
	if e.To.At != StateComplete {
		return nil
	}
	gate, ok := e.Call.Event.(Gated)
	from := e.From.Data
	switch {
	case !ok || !gate.Green || e.Call.By != machine.Ferrus:
		return errors.New("complete without a green gate")
	case from.Mode == Single:
		return nil
	case from.Pending != SignalPass || gate.Moved:
		return errors.New("complete without a pass of this tree")
	case from.Mode == Review && e.From.At != StateReviewing:
		return errors.New("complete without the reviewer")
	case from.Mode == Consensus && (!e.To.Data.Primary || !e.To.Data.Secondary):
		return errors.New("complete without consensus")
	}
	return nil
}

// votes checks that a vote is lost with its tree, and comes only from a turn that changed nothing.
func votes(e machinetest.Edge[Data]) error {
	before, after := e.From.Data, e.To.Data
	switch event := e.Call.Event.(type) {
	case Gated:
		if event.Moved && (after.Primary || after.Secondary) && e.To.At != StateComplete {
			return errors.New("a vote outlives its tree")
		}
		if !event.Green && (after.Primary && !before.Primary || after.Secondary && !before.Secondary) {
			return errors.New("a vote without a green gate")
		}
	case interface{ turn() Turn }:
		if turn := event.turn(); (turn.Edited || turn.Moved) && (after.Primary || after.Secondary) {
			return errors.New("a vote outlives its tree")
		}
		if event.turn().Edited && after.Pending == SignalPass {
			return errors.New("who edits votes")
		}
	default:
		if before.Primary != after.Primary || before.Secondary != after.Secondary {
			return errors.New("a vote out of nothing")
		}
	}
	return nil
}

var may = map[machine.Kind]map[State][]machine.Role{
	"started": {StateInit: {machine.Ferrus}}, "start_failed": {StateInit: {machine.Ferrus}},
	"done":        {StateWorking: {Primary}},
	"pass":        {StateWorking: {Primary}, StateReviewing: {Secondary}},
	"rework":      {StateReviewing: {Secondary}},
	"fail":        {StateWorking: {Primary}, StateReviewing: {Secondary}},
	"no_signal":   {StateWorking: {Primary}, StateReviewing: {Secondary}},
	"gated":       {StateWorking: {machine.Ferrus}, StateReviewing: {machine.Ferrus}},
	"agent_error": {StateWorking: {machine.Ferrus}, StateReviewing: {machine.Ferrus}},
	"cancel":      {StateInit: {machine.Human}, StateWorking: {machine.Human}, StateReviewing: {machine.Human}},
	"resume":      {StateFailed: {machine.Human}},
}

func inRole(e machinetest.Edge[Data]) error {
	if !slices.Contains(may[e.Call.Event.Kind()][e.From.At], e.Call.By) {
		return errors.New("out of role or of state")
	}
	if _, pass := e.Call.Event.(Pass); pass && e.Call.By == Primary && e.From.Data.Mode != Consensus {
		return errors.New("a worker approves itself")
	}
	return nil
}

// known checks that every step is a transition of the specification, and that resuming returns to
// the state and iteration that were left.
func known(e machinetest.Edge[Data]) error {
	if _, resumed := e.Call.Event.(Resume); resumed {
		next := 0
		if e.From.Data.Reason == MaxIterations {
			next = 1
		}
		if e.To.At != e.From.Data.Resume || e.To.Data.Iteration != e.From.Data.Iteration+next ||
			e.To.Data.Mode != e.From.Data.Mode || e.To.Data.Pending != e.From.Data.Pending {
			return errors.New("resumes elsewhere")
		}
		return nil
	}
	if e.From.At != e.To.At && !slices.Contains(seed[e.From.At], e.To.At) {
		return errors.New("a transition that the specification does not have")
	}
	return nil
}
