package ui

import (
	"strings"

	"ferrus/ui/text"
)

// words are what stands in a border: those on the right stay whole, those on
// the left are cut.
type words struct{ left, right spans }

// box draws a border of exactly r around body, whose lines are already as wide
// as the inside. Missing lines are blank, surplus ones are left out.
func (t *Theme) box(r rect, border Paint, top, bottom words, body []string) []string {
	f, inside := t.frame, max(r.w-2, 0)
	side := border.Render(f.Left)
	lines := make([]string, 0, r.h)
	lines = append(lines, t.edge(r.w, border, [3]string{f.TopLeft, f.Top, f.TopRight}, top))
	for i := range r.h - 2 {
		line := text.Blanks(inside)
		if i < len(body) {
			line = body[i]
		}
		lines = append(lines, side+line+side)
	}
	return append(lines, t.edge(r.w, border, [3]string{f.BottomLeft, f.Bottom, f.BottomRight}, bottom))
}

// edgeRight is a blank before, a blank after and one piece of border.
const edgeRight = 3

// edge draws the upper or lower border with words in it.
func (t *Theme) edge(w int, border Paint, corner [3]string, in words) string {
	var b strings.Builder
	left, right := in.left, in.right
	room, tail := w-2, right.width()
	if tail > 0 {
		tail += edgeRight
	}
	if tail > room {
		right, tail = nil, 0
	}
	b.WriteString(border.Render(corner[0]))
	used := 0
	if len(left) > 0 && room-tail > 2 {
		used = draw(&b, left, room-tail-1)
		b.WriteByte(' ')
		used++
	}
	b.WriteString(border.Render(strings.Repeat(corner[1], room-tail-used)))
	if tail > 0 {
		b.WriteByte(' ')
		draw(&b, right, tail-edgeRight)
		b.WriteByte(' ')
		b.WriteString(border.Render(corner[1]))
	}
	b.WriteString(border.Render(corner[2]))
	return b.String()
}

// beside joins two columns of lines.
func beside(left, right []string) []string {
	out := make([]string, len(left))
	for i := range left {
		out[i] = left[i] + right[i]
	}
	return out
}
