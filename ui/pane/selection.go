package pane

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// unit is what a selection consists of.
type unit uint8

const (
	byCell unit = iota
	byWord
	byLine
)

// selection is what is selected: from what it began with up to the cursor.
type selection struct {
	on    bool
	by    unit
	first vt.Span
}

// mouseDrag is the mouse button while it selects.
type mouseDrag struct {
	held   bool
	clicks int // in one place, shortly after each other
	at     vt.Place
	when   time.Time
}

// doubleClick is the time in which two clicks are one double click.
const doubleClick = 400 * time.Millisecond

// toggle begins a selection at the cursor, or ends it.
func (c *CopyMode) toggle(by unit) {
	if c.on && c.by == by {
		c.selection = selection{}
		return
	}
	c.of.With(func(t *vt.Terminal) { c.selection = selection{true, by, spanAt(t, c.at, by)} })
}

// selected returns what is selected; ok is false when nothing is.
func (c *CopyMode) selected(t *vt.Terminal) (s vt.Span, ok bool) {
	if !c.on {
		return vt.Span{}, false
	}
	last := spanAt(t, c.at, c.by)
	s = c.first
	if last.From.Before(s.From) {
		s.From = last.From
	}
	if s.To.Before(last.To) {
		s.To = last.To
	}
	return s, true
}

// Selected returns the text that is selected.
func (c *CopyMode) Selected() (selected string) {
	c.of.With(func(t *vt.Terminal) {
		if s, ok := c.selected(t); ok {
			selected = t.TextBetween(s.From, s.To)
		}
	})
	return selected
}

// spanAt returns the cell, the word or the line at a place.
func spanAt(t *vt.Terminal, at vt.Place, by unit) vt.Span {
	cells, _ := t.Cells(at.Line)
	s := vt.Span{From: at, To: at}
	switch by {
	case byLine:
		for _, wrapped := t.Cells(s.From.Line - 1); wrapped; _, wrapped = t.Cells(s.From.Line - 1) {
			s.From.Line--
		}
		for _, wrapped := t.Cells(s.To.Line); wrapped; _, wrapped = t.Cells(s.To.Line) {
			s.To.Line++
		}
		s.From.Column, s.To.Column = 0, 1<<20
	case byWord:
		s.From.Column, s.To.Column = text.WordAt(cells, at.Column)
	}
	return s
}

// Click begins to select with the mouse at a cell of a pane, which must have been drawn:
// a double click selects the word there, a triple click the line.
func (c *CopyMode) Click(p *Pane, number int, at tea.Mouse, inner style.Rect, now time.Time) {
	last := *c
	c.Stop()
	if at.Button != tea.MouseLeft || p == nil || p.Terminal == nil || !inner.Contains(at.X, at.Y) ||
		p.canvas.of == nil {
		return
	}
	*c = CopyMode{Number: number, pane: p, of: p.Terminal, drag: mouseDrag{held: true, clicks: 1, when: now}}
	c.at = vt.Place{Line: p.canvas.top + at.Y - inner.Y, Column: at.X - inner.X}
	c.drag.at = c.at
	if last.of == c.of && last.drag.at == c.at && now.Sub(last.drag.when) < doubleClick {
		c.drag.clicks += last.drag.clicks
	}
	c.of.With(func(t *vt.Terminal) {
		c.columns, _ = t.Size()
		if by := unit((c.drag.clicks - 1) % 3); by != byCell {
			c.selection = selection{true, by, spanAt(t, c.at, by)}
		}
	})
}

// Dragging reports whether the mouse selects.
func (c *CopyMode) Dragging() bool { return c.drag.held && c.Valid() }

// Drag selects up to the mouse, and scrolls when that is above or below the pane.
func (c *CopyMode) Drag(at tea.Mouse, inner style.Rect) {
	switch {
	case at.Y < inner.Y:
		c.pane.ScrollTo(c.pane.Back + 1)
	case at.Y >= inner.Y+inner.H:
		c.pane.ScrollTo(c.pane.Back - 1)
	}
	c.of.With(func(t *vt.Terminal) {
		_, newest := t.Lines()
		top := newest + hiddenRows(t, inner.H) - c.pane.Back
		c.at = vt.Place{
			Line:   top + min(max(at.Y-inner.Y, 0), inner.H-1),
			Column: min(max(at.X-inner.X, 0), inner.W-1),
		}
		if c.at == c.drag.at {
			return
		}
		c.drag.clicks = 0 // the next one is no double click
		if !c.on {
			c.selection = selection{true, byCell, spanAt(t, c.drag.at, byCell)}
		}
	})
}

// Release ends a drag, and returns the text that is selected.
func (c *CopyMode) Release() string {
	c.drag.held = false
	return c.Selected()
}

// paint draws matches and the selection over rows, which begin at line top.
func (c *CopyMode) paint(t *style.Theme, top int, rows []string) []string {
	rows = slices.Clone(rows)
	c.of.With(func(v *vt.Terminal) {
		for i, s := range c.found {
			look := t.Found
			if i == c.match {
				look = t.Alarm
			}
			paintSpan(v, rows, top, s, look)
		}
		if s, ok := c.selected(v); ok {
			paintSpan(v, rows, top, s, t.Chosen)
		}
	})
	return rows
}

// paintSpan draws the cells of a span in another look.
func paintSpan(t *vt.Terminal, rows []string, top int, s vt.Span, look style.Paint) {
	for line := max(s.From.Line, top); line <= min(s.To.Line, top+len(rows)-1); line++ {
		row := rows[line-top]
		w := text.Width(row)
		cells, _ := t.Cells(line)
		from, to := 0, w
		if line == s.From.Line {
			from = min(s.From.Column, w)
			for from > 0 && from < len(cells) && cells[from] == "" {
				from--
			}
		}
		if line == s.To.Line {
			to = min(s.To.Column+1, w)
			for to < len(cells) && to < w && cells[to] == "" {
				to++
			}
		}
		if from < to {
			rows[line-top] = style.Splice(row, from, look.Render(ansi.Strip(ansi.Cut(row, from, to))), w)
		}
	}
}
