package ui

import (
	"slices"
	"strings"

	"ferrus/ui/text"
)

// checkList is a list of check commands that is edited, a line for each.
type checkList struct {
	lines []string // never empty
	at    int      // the line that is edited, at its end
}

// newCheckList returns a list of commands, at its first line.
func newCheckList(commands []string) *checkList {
	if len(commands) == 0 {
		return &checkList{lines: []string{""}}
	}
	return &checkList{lines: slices.Clone(commands)}
}

// commands returns the list without its blank lines.
func (c *checkList) commands() (all []string) {
	for _, l := range c.lines {
		if l = strings.TrimSpace(l); l != "" {
			all = append(all, l)
		}
	}
	return all
}

// press does a key that edits, and reports whether it was one.
func (c *checkList) press(name string) bool {
	line := &c.lines[c.at]
	switch name {
	case "up":
		c.at = max(c.at-1, 0)
	case "down":
		if c.at == len(c.lines)-1 && *line != "" {
			c.lines = append(c.lines, "")
		}
		c.at = min(c.at+1, len(c.lines)-1)
	case "ctrl+u":
		*line = ""
	case "ctrl+w":
		*line = (*line)[:strings.LastIndexByte(strings.TrimRight(*line, " "), ' ')+1]
	case "backspace", "ctrl+h":
		if runes := []rune(*line); len(runes) > 0 {
			*line = string(runes[:len(runes)-1])
		}
	default:
		return false
	}
	return true
}

// maxCheck bounds a check command that is typed, in bytes.
const maxCheck = 1000

// put adds text to the line that is edited.
func (c *checkList) put(content string) {
	if line := &c.lines[c.at]; len(*line)+len(content) <= maxCheck {
		*line += text.Sanitize(content)
	}
}

// window returns at most n lines around the edited one, and its index among them.
func (c *checkList) window(n int) (lines []string, at int) {
	top := min(max(c.at-n/2, 0), max(len(c.lines)-n, 0))
	return c.lines[top:min(top+n, len(c.lines))], c.at - top
}
