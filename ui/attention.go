package ui

import (
	"fmt"
	"strings"
	"time"

	"ferrus/ui/text"
	"ferrus/ui/view"
)

// attention is whether the human looks, and what they know of.
type attention struct {
	reports bool            // the terminal reports its focus
	blurred bool            // and has none
	touched time.Time       // of the newest key
	awaited awaited         // the session that was asked for
	known   map[string]bool // items of the inbox by ID that the human has seen, or was alerted of
}

// awaited is the session that the human asked for; the zero value: none.
type awaited struct {
	slot  string
	since time.Time
	given int // the pane that got the keys, as long as nothing was typed into it; 0: none
}

// absence is how long no key must come from a terminal that does not report its focus
// before the human counts as away.
const absence = time.Minute

// away reports whether the human cannot be looking.
func (a *attention) away(now time.Time) bool {
	if a.reports {
		return a.blurred
	}
	return now.Sub(a.touched) > absence
}

// focus takes what the terminal says about its focus.
func (a *attention) focus(has bool) { a.reports, a.blurred = true, !has }

// alert returns the line that tells an absent human what has begun to need them: each
// item once, and one line for items that come together. It is empty if there is
// nothing to report.
func (a *attention) alert(v *view.View, b *inbox, now time.Time) string {
	known, fresh := map[string]bool{}, 0
	var first *view.InboxItem
	waiting := b.waiting(v)
	for i := range waiting {
		n := &waiting[i]
		if n.Delegated {
			continue
		}
		known[n.ID] = true
		if !a.known[n.ID] {
			if fresh++; first == nil {
				first = n
			}
		}
	}
	for id := range b.snoozed { // woken again it is no news
		known[id] = true
	}
	a.known = known
	if first == nil || !a.away(now) {
		return ""
	}
	line := strings.ReplaceAll(textOf(v, first), "\n", " ")
	if fresh > 1 {
		line = fmt.Sprintf("%s, and %d more", line, fresh-1)
	}
	return text.Cut(v.Status.Project+": "+line, 160)
}

// windowTitle returns the title of the window: how many items need the human, then the
// task's state.
func windowTitle(v *view.View, waiting int) string {
	title := "ferrus: " + v.Status.State.Text
	if v.Status.Project != "" {
		title = "ferrus " + v.Status.Project + ": " + v.Status.State.Text
	}
	if waiting > 0 {
		title = fmt.Sprintf("(%d) %s", waiting, title)
	}
	return title
}
