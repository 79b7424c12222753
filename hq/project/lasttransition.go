package project

import (
	"fmt"
	"time"

	"ferrus/store"
)

// LastTransition says by which line of the journal the task came to its present state: the
// event, by whom, when and why. Lines are the newest ones, oldest first; empty when
// none of them changed the state. Clock words a time.
func LastTransition(lines []store.Entry, clock func(time.Time) string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if l := lines[i]; l.From != l.To {
			return fmt.Sprintf("%s by %s at %s (journal line %d): %s", l.Event, l.By, clock(l.At), l.Seq, l.Why)
		}
	}
	return ""
}
