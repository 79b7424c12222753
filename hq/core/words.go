package core

import (
	"strings"
	"unicode"
)

// titleCells is how wide a title may be.
const titleCells = 72

// TaskTitle is the first line of a task that says something, without the marks
// of a heading, at most 72 cells wide.
func TaskTitle(text string) string { return firstLine(text, titleCells) }

// line is the first line of text that says something, fit for one line of the
// journal.
func line(text string) string { return TaskTitle(text) }

// firstLine is the first line of text that says something, at most so many cells
// wide.
func firstLine(text string, cells int) string {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(clean(l)), "#")); l != "" {
			return cut(l, cells)
		}
	}
	return ""
}

// after is what follows a heading, or all of text when it is not there.
func after(text, heading string) string {
	if _, rest, ok := strings.Cut(text, heading); ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return text
}

// clean drops what is not to reach a terminal: control characters and the marks
// that turn the direction of text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
}

// cut shortens s to width cells, with an ellipsis where something is missing.
func cut(s string, width int) string {
	used, keep := 0, 0
	for i, r := range s {
		w := cells(r)
		if used+w > width {
			return strings.TrimSpace(s[:keep]) + "…"
		}
		if used+w <= width-1 {
			keep = i + len(string(r))
		}
		used += w
	}
	return s
}

// cells is how wide a terminal draws r, erring on the wide side.
func cells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
