package vt

// Resize changes the size. The main screen is wrapped anew, as one text with
// the lines of the scrollback that come back when there is room; rows that no
// longer fit go to the scrollback. The alternate screen is cut: its program
// draws it again.
func (t *Terminal) Resize(columns, rows int) {
	columns, rows = clamp(columns, 1, maxSize), clamp(rows, 1, maxSize)
	if columns == t.columns && rows == t.height {
		return
	}
	t.endSync()
	t.tables.pinned = true // cells are outside the screens for a while
	t.rewrap(&t.screens[0], columns, rows)
	t.crop(&t.screens[1], columns, rows)
	t.tables.pinned = false
	if columns != t.columns {
		t.resizeTabs(columns)
	}
	t.columns, t.height = columns, rows
	t.top, t.bottom = 0, rows-1
	for i := range t.screens {
		s := &t.screens[i]
		s.x, s.y, s.pending = clamp(s.x, 0, columns-1), clamp(s.y, 0, rows-1), false
		t.move(s)
	}
	for _, kept := range []*saved{&t.registers.saved, &t.registers.main} {
		kept.x, kept.y = min(kept.x, columns-1), min(kept.y, rows-1)
	}
}

// resizeTabs keeps the tab stops and sets the usual ones in new columns.
func (w *writer) resizeTabs(columns int) {
	old := w.tabs
	w.tabs = make([]bool, columns)
	for x := copy(w.tabs, old); x < columns; x++ {
		w.tabs[x] = x%8 == 0
	}
}

// crop cuts or extends each row of a screen.
func (g *grid) crop(s *screen, columns, rows int) {
	for s.y >= rows { // what is above the cursor goes first
		s.rows = s.rows[1:]
		s.y--
	}
	old := s.rows
	s.rows = newRows(columns, rows)
	for y := range s.rows {
		r := s.rows[y]
		if y < len(old) {
			copy(r.cells, old[y].cells)
			r.repair()
			r.prompt = old[y].prompt
			r.wrapped = old[y].wrapped && len(old[y].cells) == columns && y < rows-1
		}
		g.touch(r)
	}
}
