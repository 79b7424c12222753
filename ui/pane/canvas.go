package pane

import (
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// canvas keeps the rows of one pane as they were last drawn, so that a frame
// costs only the rows that changed.
type canvas struct {
	of     *vt.Locked
	theme  *style.Theme
	w, h   int
	above  int // lines of scrollback shown
	top    int // the number of the line in the first row
	gen    uint64
	rows   []string
	stamps []uint64 // RowGen + 1 of each row; 0 is none
	cursor vt.Cursor
	modes  vt.Modes
	held   int // lines of scrollback there are
}

// draw brings the rows up to date: exactly h rows of exactly w cells. Above is
// how many lines the view is scrolled back.
func (c *canvas) draw(t *style.Theme, of *vt.Locked, w, h, above int) []string {
	if of != c.of || t != c.theme || w != c.w || h != c.h || above != c.above {
		*c = canvas{of: of, theme: t, w: w, h: h, above: above, rows: make([]string, h), stamps: make([]uint64, h)}
	}
	if of == nil {
		for y := range c.rows {
			c.rows[y] = text.Blanks(w)
		}
		return c.rows
	}
	of.With(c.recolor)
	return c.rows
}

func (c *canvas) recolor(t *vt.Terminal) {
	c.cursor, c.modes, c.held = t.Cursor(), t.Modes(), t.Scrollback()
	if gen := t.Gen(); gen == c.gen && c.stamps[0] != 0 {
		return
	}
	c.gen = t.Gen()
	_, rows := t.Size()
	skip := hiddenRows(t, c.h)
	c.cursor.Y -= skip
	above := min(c.above, c.held)
	_, newest := t.Lines()
	c.top = newest + skip - above
	for y := range c.h {
		source := y + skip - above
		switch {
		case source < 0:
			c.put(y, 0, t.HistoryRow(c.held+source))
		case source >= rows:
			c.put(y, 0, "")
		case c.stamps[y] != t.RowGen(source)+1:
			c.put(y, t.RowGen(source)+1, t.Row(source))
		}
	}
	c.stamps[0] = max(c.stamps[0], 1)
}

// hiddenRows returns how many rows of the screen are above the h visible ones:
// of a larger terminal the part with the cursor is visible.
func hiddenRows(t *vt.Terminal, h int) int {
	_, rows := t.Size()
	return max(min(rows, t.Cursor().Y+1)-h, 0)
}

// put makes a row exactly as wide as the pane.
func (c *canvas) put(y int, stamp uint64, row string) {
	row = c.theme.Readable(row)
	n := text.Width(row)
	if n > c.w {
		row = text.Prefix(row, c.w) + style.ResetSGR
		n = text.Width(row)
	}
	if n < c.w {
		row += text.Blanks(c.w - n)
	}
	c.rows[y], c.stamps[y] = row, stamp
}
