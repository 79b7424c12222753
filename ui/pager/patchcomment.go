package pager

import (
	"slices"

	"ferrus/ui/view"
)

// patchComments are the comments of a patch.
type patchComments struct {
	file int // index of the file in the diff
	of   []int
	all  []view.Comment
	draw func(comment, indent, w int) []string
}

// add adds a row that shows something.
func (p *patchPen) add(row string, ref rowRef) {
	p.Rows, p.Refs = append(p.Rows, row), append(p.Refs, ref)
}

// drawComments draws the comments that stand here, once each.
func (p *patchPen) drawComments(here func(*view.Comment) bool) {
	p.comments.of = slices.DeleteFunc(p.comments.of, func(i int) bool {
		if !here(&p.comments.all[i]) {
			return false
		}
		for k, row := range p.comments.draw(i, 2*p.digits+3, p.w) {
			ref := nowhere
			if k == 0 {
				ref = rowRef{file: p.comments.file, comment: i + 1}
			}
			p.add(row, ref)
		}
		return true
	})
}

// commentsOn draws the comments whose last line a row shows, by its numbers on both sides.
func (p *patchPen) commentsOn(lines [2]int) {
	p.drawComments(func(c *view.Comment) bool {
		line := lines[1]
		if c.Spot.Old {
			line = lines[0]
		}
		return c.Line > 0 && line == max(c.Last, c.Line)
	})
}
