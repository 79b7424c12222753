package workflow

import (
	"fmt"
	"strings"

	"ferrus/ui/text"
)

// Summary returns what is published with the work: what was asked, what was done, and
// what proves it.
func (d *Document) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", d.Title)
	section(&b, "Summary", d.Request)
	if len(d.Tasks) > 0 {
		b.WriteString("\n## Changes\n\n")
		for _, t := range d.Tasks {
			fmt.Fprintf(&b, "- %s: %s (%s)\n", t.ID, t.Title, t.Status)
		}
	}
	for _, name := range []string{"design", "plan", "rca", "fixDesign", "brief"} {
		if words := d.Artifacts[name]; words != "" {
			section(&b, strings.ToUpper(name[:1])+name[1:], words)
		}
	}
	if len(d.Reviews) > 0 {
		b.WriteString("\n## Reviews\n\n")
		for _, name := range d.Required {
			r := d.Reviews[name]
			fmt.Fprintf(&b, "- %s: %s by %s. %s\n", name, r.Status, r.By, r.Findings)
		}
	}
	fmt.Fprintf(&b, "\nWorkflow %s (%s).\n", d.ID, d.Type)
	return text.Plain(b.String()) // agents wrote most of it
}

func section(b *strings.Builder, title, words string) {
	if strings.TrimSpace(words) != "" {
		fmt.Fprintf(b, "\n## %s\n\n%s\n", title, strings.TrimSpace(words))
	}
}
