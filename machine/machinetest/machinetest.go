// Package machinetest tests machines exhaustively: it visits every snapshot that a
// table can reach.
//
// [Explore] takes all steps that a test's calls allow and passes each one to the
// test, which checks its invariants. [Explored.Faults] then lists what is wrong with
// the table itself: rows that no call uses, states without a way out.
package machinetest

import (
	"fmt"
	"slices"

	"ferrus/machine"
)

// Call is an event with the role that causes it. It need not be one that a real caller
// could make: refusals are explored too.
type Call struct {
	By    machine.Role
	Event machine.Event
}

// Edge is one step that was taken. It exists only for accepted calls.
type Edge[D comparable] struct {
	From    machine.Snap[D]
	Call    Call
	Row     int // index in Table.Rows
	To      machine.Snap[D]
	Effects []machine.Effect
}

// Explored is what [Explore] has seen.
type Explored[D comparable] struct {
	Snaps []machine.Snap[D] // in the order of their discovery, the start first
	// 0 is a row that the calls never reach, or that can never apply.
	Used  []int                    // how often each row applied
	Leads []map[machine.State]bool // the states each row led to
	// A snapshot that is missing here has no way out.
	Ways map[machine.Snap[D]][]machine.State // the states that steps to another snapshot lead to
}

// Explore takes every step that calls allow from start, and from each snapshot that
// these lead to, and shows each to visit. It returns an error if two rows apply to
// one event, if there are more than limit snapshots, or if visit returns one. A
// refusal is no error: most calls are refused in most snapshots.
//
// Calls may depend on the snapshot, so that an event can carry what a real one would:
// the ticket that is open, and one that no longer is. It ends because Data is finite:
// every counter stops at its limit, and tickets come from a small set that the test
// chooses. Steps that lead back are shown to visit as well.
func Explore[D comparable](
	t *machine.Table[D], start machine.Snap[D], calls func(machine.Snap[D]) []Call, limit int,
	visit func(Edge[D]) error,
) (Explored[D], error) {
	x := newExplored(t, start)
	seen := map[machine.Snap[D]]bool{start: true}
	for i := 0; i < len(x.Snaps); i++ {
		from := x.Snaps[i]
		for _, c := range calls(from) {
			edge, ok, err := takeStep(t, from, c)
			if err == nil && ok {
				err = visit(edge)
			}
			if err != nil {
				return x, fmt.Errorf("%v --%s by %s--> %v: %w", from, c.Event.Kind(), c.By, edge.To, err)
			}
			if !ok {
				continue
			}
			x.add(edge)
			if seen[edge.To] {
				continue
			}
			if len(x.Snaps) == limit {
				return x, fmt.Errorf("%s: more than %d snapshots", t.Name, limit)
			}
			seen[edge.To] = true
			x.Snaps = append(x.Snaps, edge.To)
		}
	}
	return x, nil
}

// takeStep takes one step; false if the call is refused. It asks for the row first,
// because most calls are refused and describing that would take most of the time.
func takeStep[D comparable](t *machine.Table[D], from machine.Snap[D], c Call) (Edge[D], bool, error) {
	row, err := t.Match(from, c.By, c.Event)
	if err != nil || row < 0 {
		return Edge[D]{}, false, err
	}
	to, effects, err := t.Step(from, c.By, c.Event)
	return Edge[D]{from, c, row, to, effects}, true, err
}

func newExplored[D comparable](t *machine.Table[D], start machine.Snap[D]) Explored[D] {
	x := Explored[D]{
		Snaps: []machine.Snap[D]{start}, Used: make([]int, len(t.Rows)),
		Leads: make([]map[machine.State]bool, len(t.Rows)), Ways: map[machine.Snap[D]][]machine.State{},
	}
	for i := range x.Leads {
		x.Leads[i] = map[machine.State]bool{}
	}
	return x
}

// add notes a step that was taken.
func (x *Explored[D]) add(e Edge[D]) {
	x.Used[e.Row]++
	x.Leads[e.Row][e.To.At] = true
	if e.To != e.From && !slices.Contains(x.Ways[e.From], e.To.At) {
		x.Ways[e.From] = append(x.Ways[e.From], e.To.At)
	}
}

// Faults lists what is wrong with a table, judged by what was seen of it: rows that
// never applied, rows that lead elsewhere than their May says, and snapshots that are
// not final and have no way out. It is as good as the calls were: a fault may also mean
// that the test does not know an event.
func (x Explored[D]) Faults(t *machine.Table[D]) []string {
	var all []string
	for i := range t.Rows {
		all = append(all, x.rowFaults(i, &t.Rows[i])...)
	}
	for _, s := range x.Snaps {
		if len(x.Ways[s]) == 0 && !slices.Contains(t.Final, s.At) {
			all = append(all, fmt.Sprintf("%v has no way out", s))
		}
	}
	return all
}

// rowFaults lists what is wrong with one row: unused, or with another May than it leads
// to.
func (x Explored[D]) rowFaults(i int, row *machine.Row[D]) (all []string) {
	if x.Used[i] == 0 {
		return []string{fmt.Sprintf("row %d, %s from %v, never applies", i, row.On, row.From)}
	}
	for _, s := range row.May {
		if !x.Leads[i][s] {
			all = append(all, fmt.Sprintf("row %d, %s, never leads to %s", i, row.On, s))
		}
	}
	for s := range x.Leads[i] {
		if (row.Return || row.Back != nil) && !slices.Contains(row.May, s) {
			all = append(all, fmt.Sprintf("row %d, %s, leads to %s and does not say so", i, row.On, s))
		}
	}
	return all
}
