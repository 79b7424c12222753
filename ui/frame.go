package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// View draws the frame.
func (m *Model) View() tea.View {
	lines, cursor := m.frame()
	v := tea.NewView(m.able.Glyphs.Render(strings.Join(lines, "\n")))
	v.AltScreen, v.ReportFocus = true, true
	v.Cursor = cursor
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = m.able.Title(m.windowTitle())
	if p := m.pane(m.screen.focus); p != nil && m.canvases[p.Slot] != nil && m.canvases[p.Slot].modes.Mouse == vt.MouseMotion {
		v.MouseMode = tea.MouseModeAllMotion
	}
	return v
}

// frame is exactly as many lines as the terminal has, each exactly as wide.
func (m *Model) frame() ([]string, *tea.Cursor) {
	l := m.size
	if l.shape == tiny {
		return m.tinyFrame(), nil
	}
	lines := make([]string, 0, l.h)
	lines = append(lines, m.statusBar(l.w))
	lines = append(lines, m.middle()...)
	lines = append(lines, text.Blanks(l.w), text.Blanks(l.w), m.keyLine(l.w))
	cursor := m.foot(lines)
	if m.dialog != nil {
		r, box := m.dialog.draw(m, l.main)
		for i, line := range box {
			lines[r.Y+i] = style.Splice(lines[r.Y+i], r.X, line, l.w)
		}
		m.paintLift(lines)
		return lines, nil
	}
	return lines, cursor
}

// tinyFrame says that the terminal is too small, in any size.
func (m *Model) tinyFrame() []string {
	lines := make([]string, max(m.size.h, 0))
	words := []string{"ferrus needs 60x20", fmt.Sprintf("this is %dx%d", m.size.w, m.size.h), "make the terminal larger"}
	top := max((len(lines)-len(words))/2, 0)
	for y := range lines {
		s := ""
		if i := y - top; i >= 0 && i < len(words) {
			s = words[i]
		}
		left := max((m.size.w-text.Width(s))/2, 0)
		lines[y] = text.Fit(text.Blanks(left)+s, m.size.w)
	}
	return lines
}

// part is something drawn between the status bar and the line.
type part struct {
	number int
	rect   style.Rect
	pane   *view.Pane
}

// parts are what is drawn now, and where.
func (m *Model) parts() []part {
	l := m.size
	if l.shape == wide {
		left, right := m.shown(func(p *view.Pane) bool { return p.Left }), m.shown(func(p *view.Pane) bool { return !p.Left })
		return []part{
			{numberOf(left), l.left, left}, {numberOf(right), l.right, right},
			{numberActivity, l.activity, nil}, {numberCheck, l.check, nil},
		}
	}
	var parts []part
	if n := m.screen.chosen; l.activity.H == 0 && (n == numberActivity || n == numberCheck) {
		return []part{{n, l.left, nil}}
	}
	p := m.shown(func(*view.Pane) bool { return true })
	parts = append(parts, part{numberOf(p), l.left, p})
	if l.activity.H > 0 {
		parts = append(parts, part{numberActivity, l.activity, nil}, part{numberCheck, l.check, nil})
	}
	return parts
}

func numberOf(p *view.Pane) int {
	if p == nil {
		return 0
	}
	return p.Title.Number
}

// middle draws everything between the status bar and the line.
func (m *Model) middle() []string {
	if m.screen.zoom {
		n := m.current()
		return m.part(part{n, m.size.main, m.pane(n)})
	}
	parts := m.parts()
	var lines []string
	if m.size.shape != wide {
		lines = append(lines, m.tabLine(m.size.w))
	}
	for i := 0; i < len(parts); i++ {
		box := m.part(parts[i])
		if parts[i].rect.W < m.size.w {
			i++
			box = style.Beside(box, m.part(parts[i]))
		}
		lines = append(lines, box...)
	}
	return lines
}

func (m *Model) part(p part) []string {
	switch p.number {
	case numberActivity:
		return m.activityBox(p.rect)
	case numberCheck:
		return m.checkBox(p.rect)
	}
	return m.paneBox(p.rect, p.pane)
}
