package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/intent"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// mouse passes a mouse event to a dialog, a border, the agent that has the keys and
// asked for the mouse, a selection, or whatever is at the cell.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	s := &m.screen
	switch {
	case s.shape == tiny:
		return nil
	case m.layer.Open() != nil:
		return m.do(intent.Copy{Text: m.layer.Mouse(m.context(), msg)})
	}
	if done, cmd := m.dragBorder(msg); done {
		return cmd
	}
	at := msg.Mouse()
	n := s.numberAt(at.X, at.Y)
	if m.isAgents(msg, n) {
		p := s.pane(n)
		return m.input(p, s.of(p).Mouse(msg, s.inside(n)))
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		s.click(at, n, m.options.Now())
		return m.click(at, n)
	case tea.MouseWheelMsg:
		m.wheel(at.Button, n)
	case tea.MouseMotionMsg:
		if s.copying.Dragging() {
			s.copying.Drag(at, s.inside(s.copying.Number))
		}
	case tea.MouseReleaseMsg:
		if s.copying.Dragging() {
			return m.do(intent.Copy{Text: s.copying.Release()})
		}
	}
	return nil
}

// isAgents reports whether an agent gets what the mouse did over a pane. Alt keeps it
// for a selection.
func (m *Model) isAgents(msg tea.MouseMsg, n int) bool {
	s := &m.screen
	if n == 0 || n != s.focus || s.copying.Active() || msg.Mouse().Mod.Contains(tea.ModAlt) {
		return false
	}
	p := s.typable()
	return p != nil && s.of(p).WantsMouse(msg)
}

// click focuses what is under the mouse.
func (m *Model) click(at tea.Mouse, n int) tea.Cmd {
	s := &m.screen
	switch {
	case at.Button != tea.MouseLeft:
	case s.tabLine.Contains(at.X, at.Y) && !s.zoomed:
		if n := s.tabAt(at.X); n != 0 {
			return m.focusOn(n)
		}
	case n == numberTasks:
		return m.clickTask(at.Y)
	case n != 0:
		return m.focusOn(n)
	case at.Y >= s.line && s.focus != 0:
		return m.leave()
	}
	return nil
}

func (m *Model) wheel(button tea.MouseButton, n int) {
	switch {
	case n == 0:
	case n == numberTasks && button == tea.MouseWheelUp:
		m.screen.scrollTasks(-wheelLines)
	case n == numberTasks && button == tea.MouseWheelDown:
		m.screen.scrollTasks(+wheelLines)
	case button == tea.MouseWheelUp:
		m.screen.scrollBy(n, +wheelLines)
	case button == tea.MouseWheelDown:
		m.screen.scrollBy(n, -wheelLines)
	}
}
