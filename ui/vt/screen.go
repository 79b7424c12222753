package vt

// screen is one of the two grids with its cursor.
type screen struct {
	rows     []*row
	x, y     int
	pending  bool   // the cursor is right of the last column, x: the next character wraps
	moved    uint64 // the generation at which rows last changed places
	keyboard keyboard
}

// registers are the saved cursors. As in tmux there is one of each
// kind for both screens.
type registers struct {
	saved saved // by DECSC
	main  saved // by mode 1049, when it left the main screen
	left  bool  // it did
}

// saved is a saved cursor, with what belongs to it.
type saved struct {
	x, y     int
	style    Style
	charsets charsets
	origin   bool
}

// charsets are the character sets in use: the final bytes of their
// designations, and which of them the next characters are in.
type charsets struct {
	sets [4]byte
	left uint8
}

var asciiSets = charsets{sets: [4]byte{'B', 'B', 'B', 'B'}}

func newScreen(columns, rows int) screen {
	return screen{rows: newRows(columns, rows)}
}

// touch marks a row as changed.
func (t *Terminal) touch(r *row) {
	t.gen++
	r.gen = t.gen
}

// move marks all rows of a screen as moved.
func (t *Terminal) move(s *screen) {
	t.gen++
	s.moved = t.gen
}

// clear makes a row blank in the background of the pen.
func (t *Terminal) clear(r *row) {
	fill(r.cells, t.pen.blank)
	r.wrapped, r.prompt = false, false
	t.touch(r)
}

// scrollUp moves the rows from top to bottom up by n; what leaves the top of
// the main screen goes to the scrollback if keep is set.
func (t *Terminal) scrollUp(top, bottom, n int, keep bool) {
	region := t.rows[top : bottom+1]
	n = min(n, len(region))
	keep = keep && top == 0 && t.screen == &t.screens[0]
	for _, r := range region[:n] {
		if keep {
			t.saveRow(r)
		}
		t.clear(r)
	}
	rotate(region, n)
	t.move(t.screen)
}

// scrollDown moves the rows from top to bottom down by n.
func (t *Terminal) scrollDown(top, bottom, n int) {
	region := t.rows[top : bottom+1]
	n = min(n, len(region))
	for _, r := range region[len(region)-n:] {
		t.clear(r)
	}
	rotate(region, len(region)-n)
	region[len(region)-1].wrapped = false // its continuation is gone
	t.move(t.screen)
}

// rotate moves the first n rows to the end.
func rotate(rows []*row, n int) {
	var buffer [16]*row // enough for what programs do; more is allocated
	rest := len(rows) - n
	if n <= rest {
		head := append(buffer[:0], rows[:n]...)
		copy(rows, rows[n:])
		copy(rows[rest:], head)
		return
	}
	tail := append(buffer[:0], rows[n:]...)
	copy(rows[rest:], rows[:n])
	copy(rows, tail)
}

// erase blanks the cells of row y from a up to but not including b.
func (t *Terminal) erase(y, a, b int) {
	r := t.rows[y]
	a, b = max(a, 0), min(b, t.columns)
	if a >= b {
		return
	}
	r.split(a, b)
	fill(r.cells[a:b], t.pen.blank)
	if b == t.columns {
		r.wrapped, r.prompt = false, r.prompt && a > 0
	}
	t.touch(r)
}

// insertCells opens n blank cells at the cursor.
func (t *Terminal) insertCells(n int) {
	if t.pending {
		return
	}
	r := t.rows[t.y]
	n = min(n, t.columns-t.x)
	r.split(t.x, t.x)
	copy(r.cells[t.x+n:], r.cells[t.x:t.columns-n])
	fill(r.cells[t.x:t.x+n], t.pen.blank)
	r.repair()
	t.touch(r)
}

// deleteCells closes n cells at the cursor.
func (t *Terminal) deleteCells(n int) {
	if t.pending {
		return
	}
	r := t.rows[t.y]
	n = min(n, t.columns-t.x)
	r.split(t.x, t.x+n)
	copy(r.cells[t.x:], r.cells[t.x+n:])
	fill(r.cells[t.columns-n:], t.pen.blank)
	t.touch(r)
}
