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
// the given width, the actor and the reason. A workflow's events have longer names and shorter states.
func entryLine(l store.Entry, width int, move string) string {
	event := 16
	if strings.Contains(l.Event, ".") {
		event, width = event+5, max(width-5, 0)
	}
	s := fmt.Sprintf("%s %-*s %-*s %s", l.At.Local().Format(time.TimeOnly), event, l.Event, width, move,
		core.NameOf(l.By))
	if l.Why != "" {
		s += "  " + l.Why
	}
	return strings.TrimRight(text.Sanitize(s), " ")
}
