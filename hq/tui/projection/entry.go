package projection

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/ui/text"
)

// whenFormat is the time of an entry on its own page.
const whenFormat = "Monday, 2 January 2006, 15:04:05"

// Entry returns an entry of the journal as a page of Markdown: what happened, then its
// texts.
func Entry(d journal.Detail, zone *time.Location) string {
	var b strings.Builder
	l := d.Line
	fmt.Fprintf(&b, "# %s\n\n", activity([]store.Entry{l}, zone)[0].Event)
	fact := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "**%s**%*s%s  \n", name, 9-len(name), "", text.Sanitize(value))
		}
	}
	fact("when", l.At.In(zone).Format(whenFormat))
	fact("by", cmp.Or(core.NameOf(l.By), "ferrus"))
	if l.From != l.To {
		fact("state", l.From+" -> "+l.To)
	} else {
		fact("state", l.To+", unchanged")
	}
	fact("session", l.Session)
	fact("call", l.Call)
	if len(d.Texts) == 0 && d.Judged == "" || d.Gate != nil {
		fact("why", l.Why)
	}
	writeGate(&b, d)
	if d.Judged != "" {
		fmt.Fprintf(&b, "\n---\n\n%s\n", d.Judged)
	}
	for _, t := range d.Texts {
		writeText(&b, d, t)
	}
	return b.String()
}

func writeText(b *strings.Builder, d journal.Detail, t journal.EntryText) {
	switch {
	case t.Gone:
		fmt.Fprintf(b, "\n---\n\n**%s** was replaced by a newer one.", t.Name)
		if why := d.Line.Why; why != "" {
			fmt.Fprintf(b, " It began: %s", text.Sanitize(why))
		}
		b.WriteByte('\n')
	case strings.TrimSpace(t.Text) != strings.TrimSpace(d.Judged):
		fmt.Fprintf(b, "\n---\n\n%s\n", t.Text)
	}
}

// writeGate writes what a gate found: its commands, failed ones first, and the
// report that the executor got.
func writeGate(b *strings.Builder, d journal.Detail) {
	if d.Gate == nil {
		return
	}
	c := check(*d.Gate, time.Time{})
	fmt.Fprintf(b, "\n## %s  %s  %s\n\n| | command | took | |\n|---|---|---|---|\n", c.Title, c.State, c.Took)
	for _, r := range c.Rows {
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", r.Mark, escapeCell(r.Command), r.Took, escapeCell(r.Detail))
	}
	if c.Log != "" {
		fmt.Fprintf(b, "\n**log** %s\n", c.Log)
	}
	if d.Report != "" && d.Gate.Verdict != checks.Pass {
		fmt.Fprintf(b, "\n---\n\n%s\n", d.Report)
	}
}

// escapeCell returns a text as a cell of a table.
func escapeCell(text string) string {
	return strings.NewReplacer("|", `\|`, "`", "'").Replace(text)
}
