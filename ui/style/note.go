package style

import (
	"strings"

	"ferrus/ui/text"
)

// Note returns h rows of w cells with a sentence in the middle.
func Note(w, h int, s string, look Paint) []string {
	lines := text.Wrap(s, max(w-4, 1))
	out := make([]string, h)
	top := max((h-len(lines))/2, 0)
	for y := range out {
		out[y] = text.Blanks(w)
		if i := y - top; i >= 0 && i < len(lines) {
			line := strings.TrimSpace(lines[i])
			left := max((w-text.Width(line))/2, 0)
			out[y] = text.Blanks(left) + look.Render(line) + text.Blanks(w-left-text.Width(line))
		}
	}
	return out
}

// Facts returns h rows of w cells with pairs in the middle: what counts, and words about it
// in a look, in two columns.
func Facts(w, h int, pairs [][2]string, look Paint) []string {
	first, second := 0, 0
	for _, p := range pairs {
		first, second = max(first, text.Width(p[0])), max(second, text.Width(p[1]))
	}
	left, top := max((w-first-second-3)/2, 1), max((h-len(pairs))/2, 0)
	out := make([]string, h)
	for y := range out {
		out[y] = text.Blanks(w)
		if i := y - top; i >= 0 && i < len(pairs) {
			fact := text.Blanks(left) + text.Fit(pairs[i][0], first) + "   "
			out[y] = Row(w, Spans{{fact, ""}, {pairs[i][1], look}}, nil)
		}
	}
	return out
}
