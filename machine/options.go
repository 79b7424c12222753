package machine

import (
	"slices"
	"strings"
)

// Options returns the moves that are open in a snapshot, and to whom, in the order of
// the table: the rows whose guards hold as far as the snapshot decides them. A guard
// that needs an event's facts counts as holding, so a move that is offered may still be
// refused; one that is not offered always is. Rows for one event are one option, open
// to the roles of all of them.
func (t *Table[D]) Options(s Snap[D]) []Option {
	var all []Option
	for i := range t.Rows {
		row := &t.Rows[i]
		if slices.Contains(row.From, s.At) && holding(row.When, s) && holding(row.If, s) {
			all = addOption(all, row.On, row.By)
		}
	}
	return all
}

// holding reports whether no guard fails by the snapshot alone.
func holding[D comparable](guards []Guard[D], s Snap[D]) bool {
	for i := range guards {
		if guards[i].Holds != nil && !guards[i].Holds(s) {
			return false
		}
	}
	return true
}

// addOption adds roles to the option of an event, and the option if it is new.
func addOption(all []Option, on Kind, by []Role) []Option {
	i := slices.IndexFunc(all, func(o Option) bool { return o.Event == on })
	if i < 0 {
		i, all = len(all), append(all, Option{Event: on})
	}
	for _, r := range by {
		all[i].By = appendNew(all[i].By, r)
	}
	return all
}

// Closed is a move that is not open now.
type Closed struct {
	Event Kind
	By    []Role // the roles it would be open to
	Why   string // the reasons of its guards, or the states in which it is open
}

// Closed returns the moves of a table that are not open in a snapshot, in the order of
// the table. With [Table.Options] it names every event exactly once. A refusal gives
// the guards of the one event that was asked for; this is for showing all of them.
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

// closed returns why an event is not open: what fails in this state or, where no row
// is for this state, the states that have one.
func (t *Table[D]) closed(s Snap[D], on Kind) Closed {
	var o []Option
	var states, reasons []string
	for i := range t.Rows {
		row := &t.Rows[i]
		if row.On != on {
			continue
		}
		o = addOption(o, on, row.By)
		for _, from := range row.From {
			states = appendNew(states, string(from))
		}
		if slices.Contains(row.From, s.At) {
			for _, reason := range failedReasons(slices.Concat(row.When, row.If), s) {
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

// failedReasons returns the reasons of the guards that the snapshot alone fails. A
// guard without a Reason only selects a row and explains nothing.
func failedReasons[D comparable](guards []Guard[D], s Snap[D]) (reasons []string) {
	for i := range guards {
		if g := &guards[i]; g.Holds != nil && !g.Holds(s) && g.Reason != "" {
			reasons = append(reasons, g.Reason)
		}
	}
	return reasons
}

func appendNew[T comparable](all []T, one T) []T {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}
