package cli

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/store"
	"ferrus/ui/text"
)

// journalLine formats a line of the journal with both states where they differ.
func journalLine(l store.Entry) string {
	if l.From == l.To {
		return entryLine(l, 28, l.From)
	}
	return entryLine(l, 28, l.From+" -> "+l.To)
}

// entryLine formats a line of the journal: the time, the event, the states in a column of
// the given width, the actor and the reason.
func entryLine(l store.Entry, width int, move string) string {
	s := fmt.Sprintf("%s %-16s %-*s %s", l.At.Local().Format(time.TimeOnly), l.Event, width, move, core.NameOf(l.By))
	if l.Why != "" {
		s += "  " + l.Why
	}
	return strings.TrimRight(text.Sanitize(s), " ")
}
