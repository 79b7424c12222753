package vt

import (
	"strings"
	"unicode/utf8"
)

// printASCII prints a run of printable ASCII.
func (t *Terminal) printASCII(p []byte) {
	t.pen.joinable = true
	t.pen.last = rune(p[len(p)-1])
	set := t.pen.charsets.sets[t.pen.charsets.left]
	if t.private.insert || t.private.noWrap || set != 'B' {
		for _, c := range p {
			t.put(translate(set, c), 1)
		}
		return
	}
	for len(p) > 0 {
		t.wrap()
		n := min(len(p), t.columns-t.x)
		t.printRun(p[:n])
		p = p[n:]
	}
}

// printRun prints ASCII that fits into the row.
func (t *Terminal) printRun(p []byte) {
	r := t.rows[t.y]
	r.split(t.x, t.x+len(p))
	cells, style := r.cells[t.x:t.x+len(p)], t.pen.number
	for i, c := range p {
		cells[i] = cell{uint32(c), style}
	}
	t.touch(r)
	t.advance(len(p))
}

// advance moves the cursor past what was printed.
func (t *Terminal) advance(n int) {
	t.x += n
	if t.x >= t.columns {
		t.x, t.pending = t.columns-1, !t.private.noWrap
	}
}

// wrap goes to the next row if the last column was written.
func (t *Terminal) wrap() {
	if !t.pending {
		return
	}
	t.pending = false
	t.wrapNow()
}

// wrapNow goes to the next row. If one is scrolled in, it is in no colour, as in
// tmux: a line feed is what asks for the background.
func (t *Terminal) wrapNow() {
	t.rows[t.y].wrapped = t.y == t.bottom || t.y < t.height-1 // else there is no next row
	t.x = 0
	background := t.pen.blank
	t.pen.blank = blank
	t.lineFeed()
	t.pen.blank = background
}

// printRune prints a character beyond ASCII.
func (t *Terminal) printRune(r rune) {
	if r >= 0x80 && r < 0xa0 || directional(r) {
		return
	}
	if r == softHyphen {
		r = '-'
	}
	width := runeWidth(r)
	if t.join(r, width) || width == 0 {
		return
	}
	t.pen.joinable = true
	t.pen.last = r
	t.put(r, width)
}

// put writes one character at the cursor and moves on.
func (t *Terminal) put(r rune, width int) {
	width = min(width, t.columns)
	if t.private.noWrap && t.right()+width > t.columns {
		return
	}
	t.wrap()
	if t.x+width > t.columns {
		t.wrapNow()
	}
	if t.private.insert {
		t.insertCells(width)
	}
	row := t.rows[t.y]
	row.split(t.x, t.x+width)
	c := cell{uint32(r), t.pen.number}
	if width == 2 {
		c.content |= wideFlag
		row.cells[t.x+1] = cell{' ' | spacerFlag, t.pen.number}
	}
	row.cells[t.x] = c
	t.touch(row)
	t.advance(width)
}

// join adds a character to the cell before the cursor, if it belongs there.
func (t *Terminal) join(r rune, width int) bool {
	if width > 0 && !t.pen.joinable {
		return false
	}
	row, x := t.before()
	if row == nil {
		return false
	}
	c := &row.cells[x]
	if width > 0 && !t.joins(*c, r) {
		return false
	}
	text := t.cellText(*c)
	if len(text)+utf8.RuneLen(r) > maxClusterSize {
		return true
	}
	if n, ok := t.clusterNumber(text + string(r)); ok {
		c.content = c.content&wideFlag | clusterFlag | n
		t.touch(row)
	}
	return true
}

// joins reports that a character with a width of its own goes into the cell c
// that was just written.
func (t *Terminal) joins(c cell, r rune) bool {
	if skinTone(r) && c.content&wideFlag != 0 {
		return true
	}
	return r >= firstSymbol && c.content&clusterFlag != 0 && strings.HasSuffix(t.cellText(c), "\u200d")
}

// before is the cell before the cursor, the left half of a wide one.
func (t *Terminal) before() (*row, int) {
	x := t.x
	if !t.pending {
		x--
	}
	if x < 0 {
		return nil, 0
	}
	r := t.rows[t.y]
	if x > 0 && r.cells[x].content&spacerFlag != 0 {
		x--
	}
	return r, x
}

// translate is the character that a byte stands for in a character set.
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
