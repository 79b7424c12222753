package vt

import (
	"strings"
	"unicode/utf8"
)

// printASCII prints a run of printable ASCII.
func (w *writer) printASCII(p []byte) {
	w.pen.joinable = true
	w.pen.last = rune(p[len(p)-1])
	set := w.pen.charsets.sets[w.pen.charsets.left]
	if w.private.insert || w.private.noWrap || set != 'B' {
		for _, c := range p {
			w.put(translate(set, c), 1)
		}
		return
	}
	for len(p) > 0 {
		w.wrap()
		n := min(len(p), w.columns-w.x)
		w.printRun(p[:n])
		p = p[n:]
	}
}

// printRun prints ASCII that fits into the row.
func (w *writer) printRun(p []byte) {
	r := w.rows[w.y]
	r.split(w.x, w.x+len(p))
	cells, style := r.cells[w.x:w.x+len(p)], w.pen.number
	for i, c := range p {
		cells[i] = cell{uint32(c), style}
	}
	w.touch(r)
	w.advance(len(p))
}

// advance moves the cursor past what was printed.
func (w *writer) advance(n int) {
	w.x += n
	if w.x >= w.columns {
		w.x, w.pending = w.columns-1, !w.private.noWrap
	}
}

// wrap goes to the next row if the last column was written.
func (w *writer) wrap() {
	if !w.pending {
		return
	}
	w.pending = false
	w.wrapNow()
}

// wrapNow goes to the next row. If one is scrolled in, it is in no colour, as in
// tmux: a line feed is what asks for the background.
func (w *writer) wrapNow() {
	w.rows[w.y].wrapped = w.y == w.bottom || w.y < w.height-1 // else there is no next row
	w.x = 0
	background := w.erased
	w.erased = blank
	w.lineFeed()
	w.erased = background
}

// printRune prints a character beyond ASCII.
func (w *writer) printRune(r rune) {
	if r >= 0x80 && r < 0xa0 || directional(r) {
		return
	}
	if r == softHyphen {
		r = '-'
	}
	width := runeWidth(r)
	if w.join(r, width) || width == 0 {
		return
	}
	w.pen.joinable = true
	w.pen.last = r
	w.put(r, width)
}

// put writes one character at the cursor and moves on.
func (w *writer) put(r rune, width int) {
	width = min(width, w.columns)
	if w.private.noWrap && w.right()+width > w.columns {
		return
	}
	w.wrap()
	if w.x+width > w.columns {
		w.wrapNow()
	}
	if w.private.insert {
		w.insertCells(width)
	}
	row := w.rows[w.y]
	row.split(w.x, w.x+width)
	c := cell{uint32(r), w.pen.number}
	if width == 2 {
		c.content |= wideFlag
		row.cells[w.x+1] = cell{' ' | spacerFlag, w.pen.number}
	}
	row.cells[w.x] = c
	w.touch(row)
	w.advance(width)
}

// join adds a character to the cell before the cursor, if it belongs there.
func (w *writer) join(r rune, width int) bool {
	if width > 0 && !w.pen.joinable {
		return false
	}
	row, x := w.before()
	if row == nil {
		return false
	}
	c := &row.cells[x]
	if width > 0 && !w.tables.joins(*c, r) {
		return false
	}
	text := w.tables.cellText(*c)
	if len(text)+utf8.RuneLen(r) > maxClusterSize {
		return true
	}
	if n, ok := w.tables.clusterNumber(text + string(r)); ok {
		c.content = c.content&wideFlag | clusterFlag | n
		w.touch(row)
	}
	return true
}

// joins reports whether a character with a width of its own goes into the cell c
// that was just written.
func (k *styleTable) joins(c cell, r rune) bool {
	if skinTone(r) && c.content&wideFlag != 0 {
		return true
	}
	return r >= firstSymbol && c.content&clusterFlag != 0 && strings.HasSuffix(k.cellText(c), "\u200d")
}

// before returns the cell before the cursor, the left half of a wide one.
func (w *writer) before() (*row, int) {
	x := w.x
	if !w.pending {
		x--
	}
	if x < 0 {
		return nil, 0
	}
	r := w.rows[w.y]
	if x > 0 && r.cells[x].content&spacerFlag != 0 {
		x--
	}
	return r, x
}

// translate returns the character of a byte in a character set.
func translate(set, c byte) rune {
	switch {
	case set == '0' && c >= '`' && c <= '~':
		return lineDrawing[c-'`']
	case set == 'A' && c == '#':
		return '£'
	}
	return rune(c)
}

var lineDrawing = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
