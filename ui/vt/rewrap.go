package vt

import (
	"slices"
	"unicode/utf8"
)

// page is text as it is laid out for a number of columns.
type page struct {
	columns int
	rows    []*row
	points  [2]point // places in the text that are followed: see rewrap
}

type point struct{ x, y int }

// paragraph is one line of text, before it is wrapped.
type paragraph struct {
	cells   []cell
	offsets [2]int // of the points in it; -1: elsewhere
	prompt  bool
}

var nowhere = [2]int{-1, -1}

// add wraps a paragraph onto the page. A point in the last column's right
// side gets x = columns.
func (p *page) add(text paragraph) {
	for start := 0; ; {
		end := start + fit(text.cells[start:], p.columns)
		last := end == len(text.cells)
		for i, at := range text.offsets {
			if at >= start && (at < end || last) {
				p.points[i] = point{min(at-start, p.columns), len(p.rows)}
			}
		}
		r := newRows(p.columns, 1)[0]
		copy(r.cells, text.cells[start:end])
		r.repair()
		r.wrapped, r.prompt = !last, text.prompt && start == 0
		p.rows = append(p.rows, r)
		if last {
			return
		}
		start = end
	}
}

// fit returns the number of cells that go into a row.
func fit(cells []cell, columns int) int {
	if len(cells) <= columns {
		return len(cells)
	}
	if columns > 1 && cells[columns].content&spacerFlag != 0 {
		return columns - 1
	}
	return columns
}

// prepend puts the rows of another page above.
func (p *page) prepend(above *page) {
	p.rows = append(above.rows, p.rows...)
	for i := range p.points {
		p.points[i].y += len(above.rows)
	}
}

// kept returns the saved cursor of the main screen.
func (t *Terminal) kept() *saved {
	return choose(t.modes.AltScreen, &t.registers.main, &t.registers.saved)
}

// rewrap lays the main screen out for a new size. The cursor and the saved one
// stay where they are in the text.
func (t *Terminal) rewrap(s *screen, columns, rows int) {
	used, kept := s.used(), t.kept()
	spare := len(s.rows) - used // blank rows at the end stay blank if they can
	p := page{columns: columns, points: [2]point{{s.x, s.y}, {kept.x, kept.y}}}
	t.layOut(&p, s, used)
	target := rows
	for len(p.rows) < rows-spare && t.history.count > 0 {
		above := page{columns: columns}
		above.add(t.takeBack())
		p.prepend(&above)
		target = rows - spare
	}
	for len(p.rows) > target {
		t.saveRow(p.rows[0])
		p.rows = p.rows[1:]
		p.points[0].y--
		p.points[1].y--
	}
	s.rows = append(p.rows, newRows(columns, rows-len(p.rows))...)
	for _, r := range s.rows {
		t.touch(r)
	}
	s.pending = p.points[0].x == columns
	s.x, s.y = p.points[0].x, p.points[0].y
	kept.x, kept.y = p.points[1].x, max(p.points[1].y, 0)
	if kept.x == columns { // it cannot be about to wrap
		kept.x, kept.y = 0, kept.y+1
	}
}

// used returns the number of rows down to the last one that shows something or has
// the cursor.
func (s *screen) used() int {
	n := len(s.rows)
	for n > s.y+1 && s.rows[n-1].length() == 0 {
		n--
	}
	return n
}

// layOut puts the first rows of a screen on the page, as paragraphs. The first
// one may have begun in the scrollback.
func (t *Terminal) layOut(p *page, s *screen, used int) {
	text := paragraph{offsets: nowhere}
	if p.columns != t.columns && t.history.wrapped() {
		text = t.takeBack()
	}
	points := [2]point{{s.x + choose(s.pending, 1, 0), s.y}, {t.kept().x, t.kept().y}}
	for y, r := range s.rows[:used] {
		text.prompt = text.prompt || r.prompt && len(text.cells) == 0
		for i, point := range points {
			if point.y == y {
				text.offsets[i] = len(text.cells) + point.x
			}
		}
		if r.wrapped && y < used-1 {
			text.cells = append(text.cells, r.cells...)
			continue
		}
		text.cells = append(text.cells, r.cells[:r.length()]...)
		p.add(text)
		text = paragraph{offsets: nowhere}
	}
}

// takeBack takes the newest lines from the scrollback that are one line of
// text. A line that is longer than any screen comes back in parts.
func (g *grid) takeBack() paragraph {
	h := &g.history
	first, stored := h.pop()
	texts := [][]byte{stored}
	for h.wrapped() && len(texts) < maxSize {
		first, stored = h.pop()
		texts = append(texts, stored)
	}
	reader := New(maxSize, 1, 0)
	text := paragraph{offsets: nowhere, prompt: first.prompt}
	for _, stored := range slices.Backward(texts) {
		for _, c := range reader.read(stored) {
			text.cells = append(text.cells, g.adopt(reader, c))
		}
	}
	return text
}

// adopt returns a cell of another terminal in this one's numbers.
func (g *grid) adopt(from *Terminal, c cell) cell {
	style := from.tables.styles.values[c.style]
	if style.Link != 0 {
		style.Link = g.tables.linkNumber(from.tables.links.values[style.Link])
	}
	if c.content&clusterFlag != 0 {
		text := from.tables.cellText(c)
		n, ok := g.tables.clusterNumber(text)
		if !ok {
			first, _ := utf8.DecodeRuneInString(text)
			return cell{c.content&wideFlag | uint32(first), g.tables.styleNumber(style)}
		}
		c.content = c.content&wideFlag | clusterFlag | n
	}
	return cell{c.content, g.tables.styleNumber(style)}
}
