package machine

import (
	"slices"
	"strings"
)

// Options are the moves that are open in a snapshot, and to whom: the rows whose
// guards hold as far as the snapshot decides them.
func (t *Table[D]) Options(s Snap[D]) []Option {
	var all []Option
	for i := range t.Rows {
		row := &t.Rows[i]
		if slices.Contains(row.From, s.At) && holding(row.When, s) && holding(row.If, s) {
			all = offer(all, row.On, row.By)
		}
	}
	return all
}

func holding[D comparable](guards []Guard[D], s Snap[D]) bool {
	for i := range guards {
		if guards[i].Holds != nil && !guards[i].Holds(s) {
			return false
		}
	}
	return true
}

func offer(all []Option, on Kind, by []Role) []Option {
	i := slices.IndexFunc(all, func(o Option) bool { return o.Event == on })
	if i < 0 {
		i, all = len(all), append(all, Option{Event: on})
	}
	for _, r := range by {
		if !slices.Contains(all[i].By, r) {
			all[i].By = append(all[i].By, r)
		}
	}
	return all
}

// Closed is a move that is not open now, and why.
type Closed struct {
	Event Kind
	By    []Role
	Why   string
}

// Closed are the moves of a table that are not open in a snapshot.
func (t *Table[D]) Closed(s Snap[D]) []Closed {
	open := t.Options(s)
	var all []Closed
	for i := range t.Rows {
		on := t.Rows[i].On
		isOpen := slices.ContainsFunc(open, func(o Option) bool { return o.Event == on })
		if isOpen || slices.ContainsFunc(all, func(c Closed) bool { return c.Event == on }) {
			continue
		}
		all = append(all, t.closed(s, on))
	}
	return all
}

// closed says why an event is not open: what fails in this state, or in which
// states it would be.
func (t *Table[D]) closed(s Snap[D], on Kind) Closed {
	var o []Option
	var states, reasons []string
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.On != on {
			continue
		}
		o = offer(o, on, row.By)
		for _, from := range row.From {
			states = appendNew(states, string(from))
		}
		if slices.Contains(row.From, s.At) {
			for _, reason := range broken(append(slices.Clone(row.When), row.If...), s) {
				reasons = appendNew(reasons, reason)
			}
		}
	}
	c := Closed{Event: on, By: o[0].By, Why: "only while " + strings.Join(states, ", ")}
	if len(reasons) > 0 {
		c.Why = strings.Join(reasons, "; ")
	}
	return c
}

func broken[D comparable](guards []Guard[D], s Snap[D]) (reasons []string) {
	for i := range guards {
		if g := &guards[i]; g.Holds != nil && !g.Holds(s) && g.Reason != "" {
			reasons = append(reasons, g.Reason)
		}
	}
	return reasons
}

func appendNew(all []string, s string) []string {
	if slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}
