package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the table as a Markdown table, one line per row. Rows that differ
// only in their roles, and in what these require, share a line. The documents contain
// it, and a test holds them to it, so a changed row shows in their diff.
func (t *Table[D]) Markdown() string {
	var b strings.Builder
	b.WriteString("| From | Event | By | To | Requires | Changes |\n|---|---|---|---|---|---|\n")
	for _, l := range t.lines() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(l.cells[:], " | "))
	}
	return b.String()
}

// rowLine is one line of the rendered table. Rows with the same key share it: those
// that differ in By and If alone.
type rowLine struct {
	key   string
	cells [6]string // From, Event, By, To, Requires, Changes
	by    []string
	needs []need
}

// need is what a line requires of some roles.
type need struct{ roles, guards string }

// lines groups the rows into lines, in the order of the table.
func (t *Table[D]) lines() []rowLine {
	var all []rowLine
	for i := range t.Rows {
		row := &t.Rows[i]
		from, to := t.fromWords(row), t.toWords(row)
		key := strings.Join([]string{from, string(row.On), to, names(row.When), row.Note}, "|")
		at := slices.IndexFunc(all, func(l rowLine) bool { return l.key == key })
		if at < 0 {
			at = len(all)
			all = append(all, rowLine{key: key, cells: [6]string{from, eventWords(row), "", to, "", row.Note}})
		}
		all[at].add(row.By, names(row.If))
	}
	return all
}

// eventWords names the event, with the guards that select this row for it.
func eventWords[D comparable](row *Row[D]) string {
	if when := names(row.When); when != "" {
		return string(row.On) + " (" + when + ")"
	}
	return string(row.On)
}

// add adds a row with the same effect by other roles to the line.
func (l *rowLine) add(by []Role, guards string) {
	names := join(by)
	l.by = append(l.by, names)
	l.needs = append(l.needs, need{names, guards})
	l.cells[2] = join(l.by)
	l.cells[4] = l.requirement()
}

// requirement names the guards, with the roles that they bind if others need less.
func (l *rowLine) requirement() string {
	if len(l.needs) == 1 {
		return l.needs[0].guards
	}
	var all []string
	for _, n := range l.needs {
		if n.guards != "" {
			all = append(all, n.roles+": "+n.guards)
		}
	}
	return strings.Join(all, "; ")
}

// names joins the names of guards.
func names[D comparable](guards []Guard[D]) string {
	all := make([]string, len(guards))
	for i := range guards {
		all[i] = guards[i].Name
	}
	return join(all)
}

// fromWords names the states of a row; a row of every state is from "any".
func (t *Table[D]) fromWords(row *Row[D]) string {
	if len(row.From) == len(t.States) {
		return "any"
	}
	return join(row.From)
}

// join joins names as a list in a cell.
func join[S ~string](all []S) string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = string(one)
	}
	return strings.Join(list, ", ")
}

// toWords names where a row leads.
func (t *Table[D]) toWords(row *Row[D]) string {
	switch {
	case row.Return:
		return "return"
	case row.Back != nil:
		return "where it came from"
	case row.To == "":
		return "stays"
	case row.Push:
		return string(row.To) + " (push)"
	}
	return string(row.To)
}

// Mermaid returns the table as a Mermaid state diagram. Rows that stay where they are,
// and rows from every state, are left out: they would hide the others. The initial
// state has an arrow from nowhere. Edges come in the order of the rows, so the diagram
// is stable.
func (t *Table[D]) Mermaid() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", t.States[0])
	var seen []string
	for i := range t.Rows {
		row := &t.Rows[i]
		if len(row.From) == len(t.States) {
			continue
		}
		for _, from := range row.From {
			for _, to := range t.targets(row) {
				edge := fmt.Sprintf("    %s --> %s: %s\n", from, to, row.On)
				if from != to && !slices.Contains(seen, edge) {
					seen = append(seen, edge)
					b.WriteString(edge)
				}
			}
		}
	}
	return b.String()
}

// targets returns the states that a row can lead to; none if it stays.
func (t *Table[D]) targets(row *Row[D]) []State {
	if len(row.May) > 0 {
		return row.May
	}
	if row.To == "" {
		return nil
	}
	return []State{row.To}
}
