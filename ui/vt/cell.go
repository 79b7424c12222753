package vt

// cell is one place of the grid: a code point or the number of a cluster, with
// flags, and the number of a style.
type cell struct{ content, style uint32 }

const (
	clusterFlag = 1 << 21 // content is the number of a cluster
	wideFlag    = 1 << 22 // the cell to the right is its other half
	spacerFlag  = 1 << 23 // the right half of a wide cell
	contentMask = 1<<21 - 1
)

var blank = cell{content: ' '}

// row is one line of a screen.
type row struct {
	cells   []cell
	wrapped bool   // the line continues in the next row
	prompt  bool   // a shell said that its prompt begins here
	gen     uint64 // no two contents have the same
	text    string // as Row returns it, when textGen is gen
	textGen uint64
}

// fill doubles what is filled already: memory is moved faster than cells are set.
func fill(cells []cell, c cell) {
	first := min(len(cells), 8)
	for i := range first {
		cells[i] = c
	}
	for done := first; done < len(cells); done *= 2 {
		copy(cells[done:], cells[:done])
	}
}

// split makes whole again what is cut by a change of the cells from x to end:
// half a wide character becomes a blank.
func (r *row) split(x, end int) {
	if x > 0 && x < len(r.cells) && r.cells[x].content&spacerFlag != 0 {
		r.cells[x-1].content = ' '
	}
	if end < len(r.cells) && r.cells[end].content&spacerFlag != 0 {
		r.cells[end].content = ' '
	}
}

// repair blanks the halves of wide characters whose other half is not in the row.
func (r *row) repair() {
	if first := &r.cells[0]; first.content&spacerFlag != 0 {
		first.content = ' '
	}
	if last := &r.cells[len(r.cells)-1]; last.content&wideFlag != 0 {
		last.content = ' '
	}
}

// length returns the number of cells without the default blanks at the end.
func (r *row) length() int {
	n := len(r.cells)
	for n > 0 && r.cells[n-1] == blank {
		n--
	}
	return n
}

// newRows makes n blank rows of one piece of memory.
func newRows(columns, n int) []*row {
	cells := make([]cell, columns*n)
	fill(cells, blank)
	rows, list := make([]row, n), make([]*row, n)
	for y := range rows {
		rows[y].cells = cells[y*columns : (y+1)*columns : (y+1)*columns]
		list[y] = &rows[y]
	}
	return list
}

// cellText returns what a cell shows; the right half of a wide cell shows nothing.
func (k *styleTable) cellText(c cell) string {
	switch {
	case c.content&spacerFlag != 0:
		return ""
	case c.content&clusterFlag != 0:
		return k.clusters.values[c.content&contentMask]
	}
	return string(rune(c.content & contentMask))
}
