package flow

import (
	"fmt"
	"slices"
	"strings"

	"ferrus/machine"
)

// Mermaid returns the flow as a state diagram, with its compounds and with the guards
// on the edges; present is marked, if it is a phase. Events of many phases, such as
// cancel and escalate, are left out.
func (f *Flow) Mermaid(present machine.State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "stateDiagram-v2\n    [*] --> %s\n", f.Phases[0].ID)
	for _, c := range f.Compounds {
		fmt.Fprintf(&b, "    state %s {\n        [*] --> %s\n", c.ID, c.Initial)
		f.edges(&b, "        ", func(from, to machine.State) bool {
			return f.Phase(from).In == c.ID && f.Phase(to).In == c.ID
		})
		b.WriteString("    }\n")
	}
	f.edges(&b, "    ", func(from, to machine.State) bool {
		return f.Phase(from).In == "" || f.Phase(from).In != f.Phase(to).In
	})
	fmt.Fprintf(&b, "    %s --> [*]\n", Completed)
	if f.Phase(present).ID != "" {
		fmt.Fprintf(&b, "    classDef present fill:#f9d65c,color:#000\n    class %s present\n", present)
	}
	return b.String()
}

// edges writes the transitions that which selects, each once.
func (f *Flow) edges(b *strings.Builder, indent string, which func(from, to machine.State) bool) {
	var seen []string
	for _, e := range f.Edges() {
		line := fmt.Sprintf("%s%s --> %s: %s\n", indent, e.From, e.To, e.Words)
		if which(e.From, e.To) && !slices.Contains(seen, line) {
			seen = append(seen, line)
			b.WriteString(line)
		}
	}
}

// Edge is a transition between two phases, as a diagram draws it.
type Edge struct {
	From, To machine.State
	Words    string // the label
	Back     bool   // it leads to an earlier phase
}

// Edges returns the transitions between phases, without the events of many phases.
func (f *Flow) Edges() []Edge {
	order := f.States()
	var all []Edge
	for _, r := range f.Table.Rows {
		if len(r.From) > 1 || r.To == "" {
			continue
		}
		back := slices.Index(order, r.To) < slices.Index(order, r.From[0])
		all = append(all, Edge{r.From[0], r.To, edgeWords(r), back})
	}
	return all
}

// edgeWords returns the guards of a row or, where it has none, its event.
func edgeWords(r row) string {
	var names []string
	for _, g := range slices.Concat(r.When, r.If) {
		names = append(names, g.Name)
	}
	if r.On != enterKind(r.To) || len(names) == 0 {
		return string(r.On)
	}
	return strings.Join(names, " + ")
}
