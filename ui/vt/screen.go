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
func (g *grid) touch(r *row) {
	g.gen++
	r.gen = g.gen
}

// move marks all rows of a screen as moved.
func (g *grid) move(s *screen) {
	g.gen++
	s.moved = g.gen
}

// clear makes a row blank in the background of the pen.
func (g *grid) clear(r *row) {
	fill(r.cells, g.erased)
	r.wrapped, r.prompt = false, false
	g.touch(r)
}

// scrollUp moves the rows from top to bottom up by n; what leaves the top of
// the main screen goes to the scrollback if keep is set.
func (g *grid) scrollUp(top, bottom, n int, keep bool) {
	region := g.rows[top : bottom+1]
	n = min(n, len(region))
	keep = keep && top == 0 && g.screen == &g.screens[0]
	for _, r := range region[:n] {
		if keep {
			g.saveRow(r)
		}
		g.clear(r)
	}
	rotate(region, n)
	g.move(g.screen)
}

// scrollDown moves the rows from top to bottom down by n.
func (g *grid) scrollDown(top, bottom, n int) {
	region := g.rows[top : bottom+1]
	n = min(n, len(region))
	for _, r := range region[len(region)-n:] {
		g.clear(r)
	}
	rotate(region, len(region)-n)
	region[len(region)-1].wrapped = false // its continuation is gone
	g.move(g.screen)
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
func (g *grid) erase(y, a, b int) {
	r := g.rows[y]
	a, b = max(a, 0), min(b, g.columns)
	if a >= b {
		return
	}
	r.split(a, b)
	fill(r.cells[a:b], g.erased)
	if b == g.columns {
		r.wrapped, r.prompt = false, r.prompt && a > 0
	}
	g.touch(r)
}

// insertCells opens n blank cells at the cursor.
func (g *grid) insertCells(n int) {
	if g.pending {
		return
	}
	r := g.rows[g.y]
	n = min(n, g.columns-g.x)
	r.split(g.x, g.x)
	copy(r.cells[g.x+n:], r.cells[g.x:g.columns-n])
	fill(r.cells[g.x:g.x+n], g.erased)
	r.repair()
	g.touch(r)
}

// deleteCells closes n cells at the cursor.
func (g *grid) deleteCells(n int) {
	if g.pending {
		return
	}
	r := g.rows[g.y]
	n = min(n, g.columns-g.x)
	r.split(g.x, g.x+n)
	copy(r.cells[g.x:], r.cells[g.x+n:])
	fill(r.cells[g.columns-n:], g.erased)
	g.touch(r)
}
