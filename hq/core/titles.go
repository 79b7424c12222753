package core

import (
	"strings"

	"ferrus/ui/text"
)

// titleCells is how wide a title may be.
const titleCells = 72

// TaskTitle returns the first line of a task that says something, without the marks
// of a heading, at most 72 cells wide.
func TaskTitle(task string) string { return firstLine(task, titleCells) }

// summaryLine returns the first line of s that says something, fit for one line of the
// journal.
func summaryLine(s string) string { return TaskTitle(s) }

// firstLine returns the first line of s that says something beside the marks of a
// heading, at most so many cells wide.
func firstLine(s string, cells int) string {
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(strings.TrimLeft(text.FirstLine(l), "#")); l != "" {
			return text.Cut(l, cells)
		}
	}
	return ""
}

// afterHeading returns the text after a heading, or all of it when the heading is not there.
func afterHeading(s, heading string) string {
	if _, rest, ok := strings.Cut(s, heading); ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return s
}
