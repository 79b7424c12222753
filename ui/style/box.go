package style

import (
	"strings"

	"ferrus/ui/text"
)

// Edge is the text in a border: what stands on the left is cut where there is little
// room, what stands on the right stays whole.
type Edge struct{ Left, Right Spans }

// Box draws a border of exactly r around body, whose lines are already as wide as the
// inside. Missing lines are blank; surplus ones are left out.
func (t *Theme) Box(r Rect, border Paint, top, bottom Edge, body []string) []string {
	f, inside := t.Frame, max(r.W-2, 0)
	side := border.Render(f.Left)
	lines := make([]string, 0, r.H)
	lines = append(lines, t.edge(r.W, border, [3]string{f.TopLeft, f.Top, f.TopRight}, top))
	for i := range r.H - 2 {
		line := text.Blanks(inside)
		if i < len(body) {
			line = body[i]
		}
		lines = append(lines, side+line+side)
	}
	return append(lines, t.edge(r.W, border, [3]string{f.BottomLeft, f.Bottom, f.BottomRight}, bottom))
}

// EdgePadding is what the text on the right of an edge takes besides its own width: a
// blank on both sides, and one piece of border.
const EdgePadding = 3

// edge draws the upper or lower border with its text.
func (t *Theme) edge(w int, border Paint, corner [3]string, in Edge) string {
	var b strings.Builder
	left, right := in.Left, in.Right
	room, tail := w-2, right.Width()
	if tail > 0 {
		tail += EdgePadding
	}
	if tail > room {
		right, tail = nil, 0
	}
	b.WriteString(border.Render(corner[0]))
	used := 0
	if len(left) > 0 && room-tail > 2 {
		used = left.Draw(&b, room-tail-1)
		b.WriteByte(' ')
		used++
	}
	b.WriteString(border.Render(strings.Repeat(corner[1], room-tail-used)))
	if tail > 0 {
		b.WriteByte(' ')
		right.Draw(&b, tail-EdgePadding)
		b.WriteByte(' ')
		b.WriteString(border.Render(corner[1]))
	}
	b.WriteString(border.Render(corner[2]))
	return b.String()
}

// JoinColumns joins two columns of rows.
func JoinColumns(left, right []string) []string {
	out := make([]string, len(left))
	for i := range left {
		out[i] = left[i] + right[i]
	}
	return out
}

// PadRows returns at least h rows, the missing ones blank and w cells wide.
func PadRows(rows []string, w, h int) []string {
	for len(rows) < h {
		rows = append(rows, text.Blanks(w))
	}
	return rows
}
