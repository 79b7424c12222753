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
