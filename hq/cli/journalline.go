package cli

import (
	"fmt"
	"strings"
	"time"

	"ferrus/store"
	"ferrus/ui/text"
)

// transitionLine formats a line of the journal with both states.
func transitionLine(l store.Entry) string {
	s := fmt.Sprintf("%s %-16s %-29s %s", l.At.Local().Format("15:04:05"), l.Event, l.From+" -> "+l.To, l.By)
	if l.Why != "" {
		s += "  " + l.Why
	}
	return strings.TrimRight(text.Sanitize(s), " ")
}

// journalLine formats a line of the journal: when, what, from where to where, who and
// why.
func journalLine(l store.Entry) string {
	move := l.From
	if l.From != l.To {
		move = l.From + " -> " + l.To
	}
	s := fmt.Sprintf("%s %-16s %-28s %s", l.At.Local().Format(time.TimeOnly), l.Event, move, l.By)
	if l.Why != "" {
		s += "  " + l.Why
	}
	return strings.TrimRight(text.Sanitize(s), " ")
}
