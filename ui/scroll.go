package ui

import (
	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/vt"
)

// scroll moves the chosen pane by a page.
func scroll(pages int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		n := m.current()
		m.scrollTo(n, m.screen.scroll[n]+pages*max(m.place(n).Inner().H-1, 1))
		return nil
	}
}

// scrollTo shows what is back lines above the newest, as far as there is any.
func (m *Model) scrollTo(n, back int) {
	most := 0
	switch p := m.pane(n); {
	case p != nil && p.Terminal != nil:
		p.Terminal.With(func(t *vt.Terminal) { most = t.Scrollback() })
		m.screen.hold(n, most)
	case n == numberActivity:
		most = len(m.view.Activity) - m.place(n).Inner().H
	case n == numberCheck:
		most = len(m.view.Check.Rows) + len(m.view.Check.Lines) - m.place(n).Inner().H
	}
	back = max(min(back, most), 0)
	if m.screen.scroll == nil {
		m.screen.scroll = map[int]int{}
	}
	m.screen.scroll[n] = back
}

func (s *screen) hold(n, lines int) {
	if s.held == nil {
		s.held = map[int]int{}
	}
	s.held[n] = lines
}

// steady keeps what is read in place while lines are added below it.
func (m *Model) steady() {
	for n, back := range m.screen.scroll {
		p := m.pane(n)
		if back == 0 && !(m.reading.keys && m.reading.number == n) || p == nil || p.Terminal == nil {
			continue
		}
		var lines int
		p.Terminal.With(func(t *vt.Terminal) { lines = t.Scrollback() })
		if more := lines - m.screen.held[n]; more > 0 {
			m.screen.scroll[n] = back + more
		}
		m.screen.hold(n, lines)
	}
}

// place is where a number is drawn.
func (m *Model) place(n int) style.Rect {
	switch p := m.pane(n); {
	case m.screen.zoom && n == m.screen.chosen:
		return m.size.main
	case m.size.activity.H > 0 && n == numberActivity:
		return m.size.activity
	case m.size.check.H > 0 && n == numberCheck:
		return m.size.check
	case p != nil && !p.Left:
		return m.size.right
	}
	return m.size.left
}

// fitPanes tells the size that every slot has, also those without a session:
// that is the size their next one begins with.
func (m *Model) fitPanes() tea.Cmd {
	if m.size.shape == tiny {
		return nil
	}
	var cmds []tea.Cmd
	for _, slot := range allSlots {
		r := m.size.right
		if slot.left {
			r = m.size.left
		}
		if p := m.pane(m.screen.chosen); m.screen.zoom && p != nil && p.Slot == slot.name {
			r = m.size.main
		}
		size := [2]int{r.Inner().W, r.Inner().H}
		if m.sizes[slot.name] != size {
			m.sizes[slot.name] = size
			cmds = append(cmds, m.carry(Resize{Slot: slot.name, Columns: size[0], Rows: size[1]}))
		}
	}
	return tea.Batch(cmds...)
}

// allSlots are the places for sessions, with the side they are shown on.
var allSlots = []struct {
	name string
	left bool
}{{"planner", true}, {"executor", false}, {"consultant", true}, {"reviewer", true}}
