package ui

import (
	"ferrus/ui/view"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// What is left of a part that was made as small as it can be, in cells.
const (
	leastColumns = 30
	leastBelow   = 4
	leastPanes   = 8
)

// share is a part of a whole, kept between two limits; part 0 is usual.
func share(whole, part, usual, least, most int) int {
	if part > 0 {
		usual = (whole*part + 500) / 1000
	}
	return max(min(usual, most), least)
}

// The steps that a key moves a border, in cells.
const (
	stepColumns = 2
	stepRows    = 1
)

// part of a whole that some cells are.
func thousandths(cells, whole int) int { return (cells*1000 + whole/2) / max(whole, 1) }

// border reports whether an action moves a border.
func (k Key) border() bool {
	return slices.Contains([]string{"narrower", "wider", "higher", "lower", "usual"}, k.Name)
}

// movesBorder reports whether a key moves one.
func (m *Model) movesBorder(strike string) bool {
	k, ok := m.struck(AfterLeader, strike)
	return ok && k.border()
}

// resizeBy moves the borders by keys: the one between the panes to the right,
// the one over activity and check up. The leader stays on for the next step.
func resizeBy(columns, rows int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		if m.size.shape != wide && columns != 0 || m.size.activity.H == 0 {
			m.say("there is nothing to move here: the terminal is too small for it", false)
			return nil
		}
		m.screen.moving, m.screen.zoom = true, false
		return m.divide(m.size.left.W*bit(columns != 0)+columns, m.size.activity.H*bit(rows != 0)+rows, true)
	}
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// usualSplit gives the borders their own places back.
func (m *Model) usualSplit() tea.Cmd {
	m.screen.split = view.Split{}
	m.size = arrange(m.size.w, m.size.h, m.screen.split)
	return tea.Batch(m.fitPanes(), m.keep())
}

// divide puts the borders where they are asked for, in cells; 0 leaves one where
// it is. What comes of it is kept once it is settled; the agents are told then.
func (m *Model) divide(left, below int, settled bool) tea.Cmd {
	if left > 0 {
		m.screen.split.Left = thousandths(max(min(left, m.size.w-leastColumns), leastColumns), m.size.w)
	}
	if below > 0 {
		m.screen.split.Below = thousandths(max(min(below, m.size.main.H-leastPanes), leastBelow), m.size.main.H)
	}
	m.size = arrange(m.size.w, m.size.h, m.screen.split)
	if !settled {
		return nil
	}
	return tea.Batch(m.fitPanes(), m.keep())
}

// borderDrag is a border that the mouse holds.
type borderDrag struct {
	held          bool
	columns, rows bool // which of the two borders
	moved         bool
	at            tea.Mouse // where it was taken
}

// grips is the border at a cell: where two boxes meet both of their edges count.
func (m *Model) grips(x, y int) borderDrag {
	l := m.size
	if m.screen.zoom || l.activity.H == 0 || !l.main.Contains(x, y) {
		return borderDrag{}
	}
	edge := x == l.activity.W-1 || x == l.activity.W
	g := borderDrag{
		columns: l.shape == wide && edge,
		rows:    y == l.activity.Y || y == l.activity.Y-1,
	}
	g.held = g.columns || g.rows
	return g
}

// drag does what the mouse does with a border, and reports whether it meant one.
// A border that is let go where it was taken was only clicked.
func (m *Model) drag(msg tea.MouseMsg) (bool, tea.Cmd) {
	at := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		if g := m.grips(at.X, at.Y); g.held && at.Button == tea.MouseLeft && m.behindUnder(at.X, at.Y) == 0 {
			g.at = at
			m.screen.grip = g
			return true, nil
		}
	case tea.MouseMotionMsg:
		if m.screen.grip.held {
			m.screen.grip.moved = true
			return true, m.pull(at, false)
		}
	case tea.MouseReleaseMsg:
		if g := m.screen.grip; g.held {
			m.screen.grip = borderDrag{}
			if !g.moved {
				return true, m.click(g.at, m.under(g.at.X, g.at.Y))
			}
			m.screen.grip = g
			cmd := m.pull(at, true)
			m.screen.grip = borderDrag{}
			return true, cmd
		}
	}
	return false, nil
}

// pull moves the border that is held to the mouse.
func (m *Model) pull(at tea.Mouse, settled bool) tea.Cmd {
	left, below := 0, 0
	if m.screen.grip.columns {
		left = max(at.X, 1)
	}
	if m.screen.grip.rows {
		below = max(m.size.main.Y+m.size.main.H-at.Y, 1)
	}
	return m.divide(left, below, settled)
}
