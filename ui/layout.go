package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// The smallest terminal that HQ is drawn in.
const (
	MinColumns = 60
	MinRows    = 20
)

// shape is how much room there is.
type shape uint8

const (
	tiny   shape = iota // less than 60x20: nothing can be drawn
	small               // one pane and a tab line
	medium              // besides, activity and check
	wide                // panes may stand beside each other
)

// sideColumns is the width from which on the task or its diff has room beside the
// only pane.
const sideColumns = 180

// division says what the middle of a wide screen is divided into.
type division struct {
	columns bool // two, for two panes, or for one and what stands beside it
	folded  bool // a line names the panes that are not drawn
	list    int  // columns of the list of tasks; 0: it is not drawn
	strip   bool // a row below the panes says what is merged
}

// layout says where everything is. That depends on the size of the terminal, on the
// borders that were moved, and on how many agents run. It has more than 12 fields because each part
// of the screen has a place.
type layout struct {
	shape           shape
	w, h            int
	list            style.Rect // of tasks; empty: it is not drawn
	main            style.Rect // between the status bar and the line, beside the list
	tabLine         style.Rect
	left, right     style.Rect // one and the same where one pane is shown
	activity, check style.Rect
	strip           style.Rect // what is merged; empty: it is not drawn
	line, prompt    int        // rows
	maxPrompt       int        // rows that the prompt may grow to
}

// arrange divides a terminal.
func arrange(w, h int, s view.Split, d division) layout {
	l := layout{w: w, h: h, line: h - 3, prompt: h - 2, maxPrompt: max(h/4, 3)}
	l.list, l.main = style.Area(0, 1, d.list, h-4), style.Area(d.list, 1, w-d.list, h-4)
	switch {
	case w < MinColumns || h < MinRows:
		return l
	case w >= 100 && h >= 26:
		l.shape = wide
	case w >= 80 && h >= 22:
		l.shape = medium
	default:
		l.shape = small
	}
	l.divide(s, d)
	return l
}

func (l *layout) divide(s view.Split, d division) {
	below, top, x, w := 0, l.main.Y, l.main.X, l.main.W
	if l.shape != wide || d.folded {
		l.tabLine = style.Area(x, top, w, 1)
		top++
	}
	most := l.main.Y + l.main.H - top - minPanes
	switch l.shape {
	case wide:
		below = share(l.main.H, s.Below, min(max(l.main.H/4, 7), 14), minBelow, most)
	case medium:
		below = share(l.main.H, s.Below, 5, minBelow, most)
	}
	half := share(w, s.Left, w/2, minColumns, w-minColumns)
	panes := l.main.Y + l.main.H - below
	if d.strip && below > 0 && panes-top > minPanes {
		panes--
		l.strip = style.Area(x, panes, w, 1)
	}
	if l.shape == wide && d.columns {
		l.left, l.right = style.Area(x, top, half, panes-top), style.Area(x+half, top, w-half, panes-top)
	} else {
		l.left = style.Area(x, top, w, panes-top)
		l.right = l.left
	}
	if below > 0 {
		y := panes + l.strip.H
		l.activity, l.check = style.Area(x, y, half, below), style.Area(x+half, y, w-half, below)
	}
}

// What is left of a part that was made as small as it can be, in cells.
const (
	minColumns = 30
	minBelow   = 4
	minPanes   = 8
)

// share returns a part of a whole, in thousandths, kept between two limits; for part 0
// it is the usual.
func share(whole, part, usual, least, most int) int {
	if part > 0 {
		usual = (whole*part + 500) / 1000
	}
	return max(min(usual, most), least)
}

// thousandths returns the part of a whole that some cells are.
func thousandths(cells, whole int) int { return (cells*1000 + whole/2) / max(whole, 1) }

// splitAt returns the split with the borders at a column and a number of rows below; 0
// leaves one where it is.
func (l *layout) splitAt(s view.Split, left, below int) view.Split {
	if left > 0 {
		s.Left = thousandths(max(min(left-l.main.X, l.main.W-minColumns), minColumns), l.main.W)
	}
	if below > 0 {
		s.Below = thousandths(max(min(below, l.main.H-minPanes), minBelow), l.main.H)
	}
	return s
}

// borderAt returns which borders are at a cell: the one between the panes, and the one
// over activity and check. Where two boxes meet, both of their edges count.
func (l *layout) borderAt(x, y int) (columns, rows bool) {
	if l.activity.H == 0 || !l.main.Contains(x, y) {
		return false, false
	}
	divided := l.left.W < l.main.W || y >= l.activity.Y
	columns = l.shape == wide && divided && (x == l.check.X-1 || x == l.check.X)
	return columns, y == l.activity.Y || y == l.activity.Y-1
}
