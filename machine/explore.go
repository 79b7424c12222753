package machine

import (
	"fmt"
	"slices"
)

// Call is an event with who causes it.
type Call struct {
	By    Role
	Event Event
}

// Edge is one step that [Explore] took.
type Edge[D comparable] struct {
	From    Snap[D]
	Call    Call
	Row     int // its number in the table
	To      Snap[D]
	Effects []Effect
}

// Explored is what [Explore] saw.
type Explored[D comparable] struct {
	Snaps []Snap[D]
	Used  []int               // how often each row applied
	Leads []map[State]bool    // where each row led
	Ways  map[Snap[D]][]State // where the steps out of a snapshot lead, itself left out
}

// Explore takes every step that calls allow from start and from whatever that
// leads to, and shows each to visit. It fails if two rows apply to one event, if
// there are more than limit snapshots, or if visit does. Refusals are not
// failures.
//
// Calls may depend on the snapshot, so that an event can carry what a real one
// would: the ticket that is open, and one that was.
func Explore[D comparable](t *Table[D], start Snap[D], calls func(Snap[D]) []Call, limit int, visit func(Edge[D]) error) (Explored[D], error) {
	x := newExplored(t, start)
	seen := map[Snap[D]]bool{start: true}
	for i := 0; i < len(x.Snaps); i++ {
		from := x.Snaps[i]
		for _, c := range calls(from) {
			edge, denied, err := t.edge(from, c)
			if denied {
				continue
			}
			if err == nil {
				err = visit(edge)
			}
			if err != nil {
				return x, fmt.Errorf("%v --%s by %s--> %v: %w", from, c.Event.Kind(), c.By, edge.To, err)
			}
			x.note(edge)
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

func newExplored[D comparable](t *Table[D], start Snap[D]) Explored[D] {
	x := Explored[D]{
		Snaps: []Snap[D]{start}, Used: make([]int, len(t.Rows)),
		Leads: make([]map[State]bool, len(t.Rows)), Ways: map[Snap[D]][]State{},
	}
	for i := range x.Leads {
		x.Leads[i] = map[State]bool{}
	}
	return x
}

func (x *Explored[D]) note(e Edge[D]) {
	x.Used[e.Row]++
	x.Leads[e.Row][e.To.At] = true
	if e.To != e.From && !slices.Contains(x.Ways[e.From], e.To.At) {
		x.Ways[e.From] = append(x.Ways[e.From], e.To.At)
	}
}

func (t *Table[D]) edge(from Snap[D], c Call) (Edge[D], bool, error) {
	row, no, err := t.find(from, c.By, c.Event)
	if no != nil || err != nil {
		return Edge[D]{}, no != nil, err
	}
	to, effects := t.apply(row, from, c.Event)
	return Edge[D]{from, c, row, to, effects}, false, nil
}

// Faults lists what is wrong with a table by what was seen of it: rows that never
// applied, rows that lead elsewhere than they say, and snapshots without a way on.
func (x Explored[D]) Faults(t *Table[D]) []string {
	var all []string
	for i, n := range x.Used {
		if n == 0 {
			all = append(all, fmt.Sprintf("row %d, %s from %v, never applies", i, t.Rows[i].On, t.Rows[i].From))
			continue
		}
		for _, s := range t.Rows[i].May {
			if !x.Leads[i][s] {
				all = append(all, fmt.Sprintf("row %d, %s, never leads to %s", i, t.Rows[i].On, s))
			}
		}
		for s := range x.Leads[i] {
			if r := &t.Rows[i]; (r.Return || r.Back != nil) && !slices.Contains(r.May, s) {
				all = append(all, fmt.Sprintf("row %d, %s, leads to %s and does not say so", i, r.On, s))
			}
		}
	}
	for _, s := range x.Snaps {
		if len(x.Ways[s]) == 0 && !slices.Contains(t.Final, s.At) {
			all = append(all, fmt.Sprintf("%v has no way on", s))
		}
	}
	return all
}
