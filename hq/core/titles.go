package core

import (
	"strings"

	"ferrus/ui/text"
)

// titleCells is the maximal width of a title.
const titleCells = 72

// noteCells is the maximal width of ferrus's notes about a session, which have names and reasons; unlike
// a text, they are kept nowhere else in full.
const noteCells = 600

// TaskTitle returns the first line of a task that is not blank, without the marks of a
// heading, cut to 72 cells.
func TaskTitle(task string) string { return firstLine(task, titleCells) }

// summaryLine returns the first line of a text for the journal.
func summaryLine(s string) string { return TaskTitle(s) }

// firstLine returns the first line that has more than the marks of a heading, sanitized
// and cut to a number of cells. Empty if there is none. What it returns has no control
// characters, so it can be printed and journaled.
func firstLine(s string, cells int) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(strings.TrimLeft(text.FirstLine(l), "#")); l != "" {
			return text.Cut(l, cells)
		}
	}
	return ""
}

// afterHeading returns the text after a heading, or all of it if the heading is
// missing. It finds the heading anywhere, also within a line: this is only for a
// summary.
func afterHeading(s, heading string) string {
	if _, rest, ok := strings.Cut(s, heading); ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return s
}
