package ui

import (
	"strings"

	"ferrus/ui/text"
)

// span is a piece of a line in one look.
type span struct {
	text  string
	paint Paint
}

// spans is a line in the making.
type spans []span

func (s spans) width() int {
	n := 0
	for _, p := range s {
		n += text.Width(p.text)
	}
	return n
}

// row lays left and right at the two ends of exactly w cells. Right is dropped
// when it leaves left fewer than half of them; left is cut.
func row(w int, left, right spans) string {
	room := w - right.width()
	if len(right) > 0 && room < min(left.width(), w/2) {
		right, room = nil, w
	}
	var b strings.Builder
	used := draw(&b, left, room)
	b.WriteString(text.Blanks(room - used))
	draw(&b, right, w-room)
	return b.String()
}

// draw writes as much of s as fits into w cells and returns what it took.
func draw(b *strings.Builder, s spans, w int) int {
	used := 0
	for _, p := range s {
		if used >= w {
			break
		}
		content := text.Cut(p.text, w-used)
		b.WriteString(p.paint.Render(content))
		used += text.Width(content)
	}
	return used
}
