package ui

import (
	"ferrus/ui/style"
	"ferrus/ui/view"
)

// The smallest terminal HQ is drawn in.
const (
	MinColumns = 60
	MinRows    = 20
)

// shape is how much room there is.
type shape uint8

const (
	tiny   shape = iota // under 60x20: nothing can be drawn
	small               // one pane and a tab line
	medium              // besides, activity and check
	wide                // two panes beside each other
)

// layout says where everything is. Its places depend on the size of the
// terminal and the borders that were moved alone, so that nothing jumps when a
// pane appears.
type layout struct {
	shape           shape
	w, h            int
	main            style.Rect // between the status bar and the line
	tabs            style.Rect
	left, right     style.Rect // one and the same where one pane is shown
	activity, check style.Rect
	line, prompt    int // rows
	keys            int
	most            int // rows that the prompt may grow to
}

// arrange divides a terminal as somebody wants it divided.
func arrange(w, h int, s view.Split) layout {
	l := layout{w: w, h: h, line: h - 3, prompt: h - 2, keys: h - 1, most: max(h/4, 3)}
	l.main = style.Area(0, 1, w, h-4)
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
	l.divide(s)
	return l
}

func (l *layout) divide(s view.Split) {
	below, top := 0, l.main.Y
	switch l.shape {
	case wide:
		below = share(l.main.H, s.Below, min(max(l.main.H/4, 7), 14), leastBelow, l.main.H-leastPanes)
	case medium:
		below = share(l.main.H, s.Below, 5, leastBelow, l.main.H-leastPanes)
	}
	if l.shape != wide {
		l.tabs = style.Area(0, top, l.w, 1)
		top++
	}
	half := share(l.w, s.Left, l.w/2, leastColumns, l.w-leastColumns)
	panes := l.main.Y + l.main.H - below
	if l.shape == wide {
		l.left, l.right = style.Area(0, top, half, panes-top), style.Area(half, top, l.w-half, panes-top)
	} else {
		l.left = style.Area(0, top, l.w, panes-top)
		l.right = l.left
	}
	if below > 0 {
		l.activity, l.check = style.Area(0, panes, half, below), style.Area(half, panes, l.w-half, below)
	}
}
