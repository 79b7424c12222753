package dialog

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/style"
	"ferrus/ui/text"
)

// doubleClick is the time in which two clicks are one double click.
const doubleClick = 400 * time.Millisecond

// cell is a cell of the screen.
type cell struct{ x, y int }

func (c cell) before(other cell) bool { return c.y < other.y || c.y == other.y && c.x < other.x }

// selection is what the mouse selects of a dialog: cells of the screen, because that is
// what the human sees. A key, the wheel and another dialog end it.
type selection struct {
	on, held bool
	room     style.Rect // it stays in one column of the dialog
	from, to cell       // in the order in which they were touched
	clicks   int        // in one place, shortly after each other
	when     time.Time
}

// click begins a selection at a cell of a room: a double click selects the word there,
// a triple click the row. The row has no escape sequences.
func (s *selection) click(at cell, room style.Rect, row string, now time.Time) {
	last := *s
	*s = selection{held: true, room: room, from: at, to: at, clicks: 1, when: now}
	if last.clicks > 0 && last.room == room && last.to.y == at.y && now.Sub(last.when) < doubleClick {
		s.clicks += last.clicks
	}
	switch (s.clicks - 1) % 3 {
	case 1:
		s.from.x, s.to.x = text.WordAt(text.Cells(row), at.x)
		s.on = true
	case 2:
		s.from.x, s.to.x = room.X, room.X+room.W-1
		s.on = true
	}
}

// drag selects up to a cell, within the room.
func (s *selection) drag(at cell) {
	if !s.held {
		return
	}
	s.to = cell{
		min(max(at.x, s.room.X), s.room.X+s.room.W-1),
		min(max(at.y, s.room.Y), s.room.Y+s.room.H-1),
	}
	s.on, s.clicks = s.on || s.to != s.from, 0
}

// span returns what is selected in a row: the cells from one up to another.
func (s *selection) span(y int) (from, to int) {
	first, last := s.from, s.to
	if last.before(first) {
		first, last = last, first
	}
	if !s.on || y < first.y || y > last.y {
		return 0, 0
	}
	from, to = s.room.X, s.room.X+s.room.W
	if y == first.y {
		from = first.x
	}
	if y == last.y {
		to = last.x + 1
	}
	return from, to
}

// paint draws what is selected over the rows of a frame.
func (s *selection) paint(t *style.Theme, rows []string) {
	for y, row := range rows {
		if from, to := s.span(y); to > from {
			from, to = text.WholeCells(text.Cells(ansi.Strip(row)), from, to)
			rows[y] = style.Splice(row, from, t.Chosen.Render(ansi.Strip(ansi.Cut(row, from, to))), text.Width(row))
		}
	}
}

// selectedText returns the selected text of a frame's rows.
func (s *selection) selectedText(rows []string) string {
	var lines []string
	for y, row := range rows {
		from, to := s.span(y)
		if to <= from {
			continue
		}
		cells := text.Cells(ansi.Strip(row))
		from, to = text.WholeCells(cells, from, to)
		lines = append(lines, strings.TrimRight(strings.Join(cells[from:min(to, len(cells))], ""), " "))
	}
	return strings.Join(lines, "\n")
}
