package pager

import (
	"slices"

	"ferrus/ui/style"
	"ferrus/ui/view"
)

// cursor is the row of a diff that a comment would be about. The zero cursor is off.
type cursor struct {
	on   bool
	row  int
	from int    // the row that the selection begins in; row: only one is chosen
	old  bool   // the old side, where a row has both
	at   rowRef // what the row showed when it was drawn last
}

// startCursor puts the cursor on the first row that is seen and can be commented on.
func (p *Diff) startCursor() {
	for row := p.top; row < len(p.refs) && row < p.top+p.height; row++ {
		if ref := p.refs[row]; ref.file >= 0 && ref.old+ref.new > 0 {
			p.moveTo(row)
			return
		}
	}
	if row := p.step(p.top-1, +1); row >= 0 {
		p.moveTo(row)
	}
}

// moveTo puts the cursor on a row, and ends the selection.
func (p *Diff) moveTo(row int) {
	p.cursor = cursor{on: true, row: row, from: row, old: p.cursor.old, at: p.refs[row]}
	p.reveal()
}

// reveal scrolls as little as shows the cursor.
func (p *Diff) reveal() {
	h := max(p.height, 1)
	p.top = max(min(p.top, p.cursor.row), p.cursor.row-h+1)
	p.tail = false
	p.now = p.fileAt(p.cursor.row)
}

// step returns the next row from one on that can be commented on; -1: there is none.
func (p *Diff) step(row, by int) int {
	for row += by; row >= 0 && row < len(p.refs); row += by {
		if p.refs[row].file >= 0 {
			return row
		}
	}
	return -1
}

// moveCursor moves the cursor by so many rows, and with extend only its end of the
// selection.
func (p *Diff) moveCursor(by int, extend bool) {
	to := p.cursor.row
	for range min(max(by, -by), len(p.refs)) {
		next := p.step(to, max(min(by, 1), -1))
		if next < 0 || extend && !p.extends(next) {
			break
		}
		to = next
	}
	from := p.cursor.from
	p.moveTo(to)
	if extend {
		p.cursor.from = from
	}
}

// extends reports whether a selection can reach to a row: lines of one file.
func (p *Diff) extends(row int) bool {
	a, b := p.refs[p.cursor.from], p.refs[row]
	return a.file == b.file && a.old+a.new > 0 && (b.old+b.new > 0 || b.comment > 0)
}

// follow finds the cursor again after the rows were drawn: what it was on may be in
// another row now.
func (p *Diff) follow() {
	c := &p.cursor
	if !c.on || len(p.refs) == 0 {
		c.on = c.on && len(p.refs) > 0
		return
	}
	if c.row < len(p.refs) && p.refs[c.row] == c.at {
		return
	}
	row := slices.Index(p.refs, c.at)
	if row < 0 {
		row = max(min(c.row, len(p.refs)-1), 0)
		if p.refs[row].file < 0 {
			row = max(p.step(row, -1), p.step(row, +1))
		}
	}
	if row < 0 {
		c.on = false
		return
	}
	p.moveTo(row)
}

// selected returns the first and the last row of the selection.
func (c cursor) selected() (first, last int) { return min(c.row, c.from), max(c.row, c.from) }

// spotHere returns what a comment at the cursor would be about.
func (p *Diff) spotHere() view.Spot {
	here := p.refs[p.cursor.row]
	if here.comment > 0 {
		s := p.Diff.Comments[here.comment-1]
		return view.Spot{Path: s.File, Old: s.Spot.Old, Line: s.Line, Last: s.Last}
	}
	s := view.Spot{Path: p.Diff.Files[here.file].Path}
	if here.old+here.new == 0 {
		return s
	}
	s.Old = here.new == 0 || here.old > 0 && p.cursor.old
	first, last := p.cursor.selected()
	for _, ref := range p.refs[first : last+1] {
		line := ref.new
		if s.Old {
			line = ref.old
		}
		if ref.file != here.file || line == 0 || ref.comment > 0 {
			continue
		}
		if s.Line == 0 || line < s.Line {
			s.Line = line
		}
		s.Last = max(s.Last, line)
	}
	if s.Last == s.Line {
		s.Last = 0
	}
	return s
}

// commentHere returns the index of the comment at the cursor or in the list; -1: none.
func (p *Diff) commentHere() int {
	switch {
	case p.listing && p.chosen < len(p.Diff.Comments):
		return p.chosen
	case !p.listing && p.cursor.on && p.cursor.row < len(p.refs):
		return p.refs[p.cursor.row].comment - 1
	}
	return -1
}

// draftHere returns the index of the draft that is edited or deleted: at the cursor or in the
// list, or else right below the line of the cursor, where a draft is that was just written.
func (p *Diff) draftHere() int {
	i := p.commentHere()
	if next := p.cursor.row + 1; i < 0 && !p.listing && p.cursor.on && next < len(p.refs) {
		i = p.refs[next].comment - 1
	}
	if i < 0 || p.Diff.Comments[i].State != view.CommentDraft {
		return -1
	}
	return i
}

// write begins to type a comment at the cursor, or another text for the draft there.
func (p *Diff) write() {
	if i := p.commentHere(); i >= 0 && p.Diff.Comments[i].State == view.CommentDraft {
		p.editDraft(i)
		return
	}
	p.target, p.spot = -1, p.spotHere()
	if i := p.refs[p.cursor.row].file; i < len(p.Diff.Files) && p.Diff.Files[i].Path == p.spot.Path {
		p.spot = quoted(p.spot, p.Diff.Files[i].Patch)
	}
	p.writing = newEdit("comment on "+p.spot.Where(), "")
}

// editDraft edits a draft.
func (p *Diff) editDraft(i int) {
	c := &p.Diff.Comments[i]
	p.target, p.writing = i, newEdit("comment on "+c.Spot.Where(), c.Text)
}

// Click puts the cursor on the row that is shown at a height, on the side that is at a
// column of w.
func (p *Diff) Click(x, y, w int) {
	row := p.top + y
	if p.writing != nil || p.listing || x < p.list || row >= len(p.refs) || p.refs[row].file < 0 {
		return
	}
	p.cursor.old = w-p.list >= sideBySide && x-p.list < (w-p.list)/2
	p.moveTo(row)
}

// mark marks the rows of the selection.
func (p *Diff) mark(t *style.Theme, shown []string) {
	if !p.cursor.on {
		return
	}
	first, last := p.cursor.selected()
	for i := range shown {
		if row := p.top + i; row >= first && row <= last {
			_, tail := style.Ends(shown[i], 0, max(p.drawn.w-1, 0))
			shown[i] = t.Chosen.Render("▸") + tail
		}
	}
}

// allAt returns every row. If the width has changed, the line at the top stays there.
func (p *Diff) allAt(t *style.Theme, viewed map[string]bool, w int) []string {
	was, top, at := p.drawn.w, p.top, nowhere
	for row := top; row < len(p.refs) && at.file < 0; row++ {
		top, at = row, p.refs[row]
	}
	rows := p.all(t, viewed, w)
	if was == 0 || was == w || at.file < 0 {
		return rows
	}
	if row := slices.IndexFunc(p.refs, at.shows); row >= 0 {
		p.top, p.jumped = max(row-(top-p.top), 0), 0
	}
	return rows
}

// shows reports whether two rows show the same line, on either side, or the same comment.
func (r rowRef) shows(other rowRef) bool {
	return r.file == other.file && r.comment == other.comment &&
		(r.old == other.old && r.new == other.new || r.old > 0 && r.old == other.old || r.new > 0 && r.new == other.new)
}
