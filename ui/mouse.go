package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/vt"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// mouse gives a click to the pane under it, and what happens inside a pane with
// the keys to its agent, if that asked for the mouse.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	switch {
	case m.size.shape == tiny:
		return nil
	case m.dialog != nil:
		return m.mouseOver(msg)
	}
	if ours, cmd := m.drag(msg); ours {
		return cmd
	}
	at := msg.Mouse()
	n := m.under(at.X, at.Y)
	if n != 0 && n == m.screen.focus && !m.reading.keys && !at.Mod.Contains(tea.ModAlt) && m.wantsMouse(n, msg) {
		return m.toAgent(n, msg)
	}
	if ours, cmd := m.selects(msg, n); ours {
		return cmd
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		return m.click(at, n)
	case tea.MouseWheelMsg:
		m.wheel(at.Button, n)
	}
	return nil
}

// wheelPage scrolls what is read in a dialog, or chooses in a list.
func (m *Model) wheelPage(button tea.MouseButton) {
	by, name := wheelLines, "down"
	if button == tea.MouseWheelUp {
		by, name = -wheelLines, "up"
	}
	if r, ok := m.dialog.(interface{ move(lines int) }); ok {
		r.move(by)
		return
	}
	m.dialog, _ = m.dialog.press(m, name)
}

func (m *Model) click(at tea.Mouse, n int) tea.Cmd {
	switch {
	case at.Button != tea.MouseLeft:
	case m.size.tabs.Contains(at.X, at.Y) && !m.screen.zoom:
		if n := m.tabUnder(at.X); n != 0 {
			return m.focusOn(n)
		}
	case m.behindUnder(at.X, at.Y) != 0:
		return m.focusOn(m.behindUnder(at.X, at.Y))
	case n != 0:
		return m.focusOn(n)
	case at.Y >= m.size.line && m.screen.focus != 0:
		return m.leave()
	}
	return nil
}

func (m *Model) wheel(button tea.MouseButton, n int) {
	switch {
	case n == 0:
	case button == tea.MouseWheelUp:
		m.scrollTo(n, m.screen.scroll[n]+wheelLines)
	case button == tea.MouseWheelDown:
		m.scrollTo(n, m.screen.scroll[n]-wheelLines)
	}
}

// under is the number of what is drawn at a cell; 0 is nothing.
func (m *Model) under(x, y int) int {
	if m.screen.zoom {
		if m.size.main.Contains(x, y) {
			return m.current()
		}
		return 0
	}
	for _, part := range m.parts() {
		if part.rect.Contains(x, y) {
			return part.number
		}
	}
	return 0
}

// wantsMouse reports whether an agent gets what the mouse did. One that does not
// know the mouse gets the wheel all the same on the alternate screen, as arrows.
func (m *Model) wantsMouse(n int, msg tea.MouseMsg) bool {
	p := m.pane(n)
	if p == nil || !p.Living || !p.Interactive || p.Terminal == nil {
		return false
	}
	var modes vt.Modes
	p.Terminal.With(func(t *vt.Terminal) { modes = t.Modes() })
	_, wheel := msg.(tea.MouseWheelMsg)
	return modes.Mouse != vt.MouseOff || wheel && modes.AlternateScroll && modes.AltScreen
}

func (m *Model) toAgent(n int, msg tea.MouseMsg) tea.Cmd {
	inner := m.place(n).Inner()
	at := msg.Mouse()
	if !inner.Contains(at.X, at.Y) {
		return nil
	}
	return m.input(m.pane(n), func(t *vt.Terminal) []byte { return t.EncodeMouse(paneMouse(msg, inner.X, inner.Y)) })
}
