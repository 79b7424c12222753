package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/view"
)

// How far a key moves a border, in cells.
const (
	stepColumns = 2
	stepRows    = 1
)

// resizeBy returns the action that moves the borders: the one between the panes to the
// right, the one over activity and check up. The next key may do so without the leader.
func resizeBy(columns, rows int) action {
	return func(m *Model, _ string) tea.Cmd {
		s := &m.screen
		if s.shape != wide && columns != 0 || s.activity.H == 0 {
			m.say("The terminal is too small to resize panes", false)
			return nil
		}
		m.keys.moving, s.zoomed = true, false
		left, below := 0, 0
		if columns != 0 {
			left = s.activity.W + columns
		}
		if rows != 0 {
			below = s.activity.H + rows
		}
		return m.moveBorders(left, below, true)
	}
}

// resetSplit gives the borders their usual places back.
func resetSplit(m *Model, _ string) tea.Cmd {
	m.screen.split = view.Split{}
	m.screen.resize(m.screen.w, m.screen.h)
	return tea.Batch(m.fitPanes(), m.saveLayout())
}

// moveBorders puts the borders where they are asked for, in cells; 0 leaves one where it
// is. The agents get their sizes, and the split is saved, when the move is final.
func (m *Model) moveBorders(left, below int, final bool) tea.Cmd {
	s := &m.screen
	s.split = s.splitAt(s.split, left, below)
	s.resize(s.w, s.h)
	if !final {
		return nil
	}
	return tea.Batch(m.fitPanes(), m.saveLayout())
}

// dragBorder handles mouse events on a border, and reports whether the event was for
// one. A border that is released where it was pressed was only clicked.
func (m *Model) dragBorder(msg tea.MouseMsg) (bool, tea.Cmd) {
	s, at := &m.screen, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		columns, rows := s.borderAt(at.X, at.Y)
		if s.zoomed || !columns && !rows || at.Button != tea.MouseLeft {
			return false, nil
		}
		s.drag = borderDrag{held: true, columns: columns, rows: rows, at: at}
		return true, nil
	case tea.MouseMotionMsg:
		if s.drag.held {
			s.drag.moved = true
			return true, m.pullBorder(s.drag, at, false)
		}
	case tea.MouseReleaseMsg:
		if d := s.drag; d.held {
			s.drag = borderDrag{}
			if d.moved {
				return true, m.pullBorder(d, at, true)
			}
			return true, m.click(d.at, s.numberAt(d.at.X, d.at.Y))
		}
	}
	return false, nil
}

// pullBorder moves a border that is held to the mouse.
func (m *Model) pullBorder(d borderDrag, at tea.Mouse, final bool) tea.Cmd {
	left, below := 0, 0
	if d.columns {
		left = max(at.X, 1)
	}
	if d.rows {
		below = max(m.screen.main.Y+m.screen.main.H-at.Y, 1)
	}
	return m.moveBorders(left, below, final)
}
