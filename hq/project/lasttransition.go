package project

import (
	"fmt"
	"time"

	"ferrus/store"
)

// LastTransition describes the journal entry that led to the present state: the event, by
// whom, when and why. Lines are the newest entries, oldest first; empty if none of them
// changed the state. Clock formats a time.
func LastTransition(lines []store.Entry, clock func(time.Time) string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if l := lines[i]; l.From != l.To {
			return fmt.Sprintf("%s by %s at %s (journal line %d): %s", l.Event, l.By, clock(l.At), l.Seq, l.Why)
		}
	}
	return ""
}
