package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is the table as people read it, one line per row. Rows that differ in
// who may cause them alone share a line.
func (t *Table[D]) Markdown() string {
	var b strings.Builder
	b.WriteString("| From | Event | By | To | Requires | Changes |\n|---|---|---|---|---|---|\n")
	for _, l := range t.lines() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(l.cells[:], " | "))
	}
	return b.String()
}

// rowLine is one line of the rendered table.
type rowLine struct {
	key   string
	cells [6]string
	by    []string
	needs []need
}

// need is what a line requires of some.
type need struct{ who, guards string }

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

func eventWords[D comparable](row *Row[D]) string {
	if when := names(row.When); when != "" {
		return string(row.On) + " (" + when + ")"
	}
	return string(row.On)
}

// add takes a row with the same effect by other roles into the line. Who is named
// with a requirement only where another may do without it.
func (l *rowLine) add(by []Role, guards string) {
	words := make([]string, len(by))
	for i, r := range by {
		words[i] = word(r)
	}
	l.by = append(l.by, words...)
	l.needs = append(l.needs, need{strings.Join(words, ", "), guards})
	l.cells[2] = strings.Join(l.by, ", ")
	l.cells[4] = l.requirement()
}

func (l *rowLine) requirement() string {
	if len(l.needs) == 1 {
		return l.needs[0].guards
	}
	var all []string
	for _, n := range l.needs {
		if n.guards != "" {
			all = append(all, n.who+": "+n.guards)
		}
	}
	return strings.Join(all, "; ")
}

func word(r Role) string {
	if r == Human {
		return "person"
	}
	return string(r)
}

func names[D comparable](guards []Guard[D]) string {
	words := make([]string, len(guards))
	for i := range guards {
		words[i] = guards[i].Name
	}
	return strings.Join(words, ", ")
}

func (t *Table[D]) fromWords(row *Row[D]) string {
	if len(row.From) == len(t.States) {
		return "any"
	}
	return states(row.From)
}

func states(all []State) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

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

// Mermaid is the table as a state diagram for whatever draws Mermaid. Rows that
// stay, and those from anywhere, are left to the table.
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

func (t *Table[D]) targets(row *Row[D]) []State {
	if len(row.May) > 0 {
		return row.May
	}
	if row.To == "" {
		return nil
	}
	return []State{row.To}
}
