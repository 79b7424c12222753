package ui

import (
	tea "charm.land/bubbletea/v2"
	"ferrus/ui/style"
)

// foot draws what stands at the bottom: the line, the prompt, and over the panes
// what does not fit into the two rows they own, so that no pane changes its size.
func (m *Model) foot(lines []string) *tea.Cursor {
	l := m.size
	rows := m.promptRows()
	top := l.prompt - len(rows) + 1
	copy(lines[top:], rows)
	asked := m.lineRows(l.most)
	top -= len(asked)
	copy(lines[top:], asked)
	if notice, short := m.noticeRows(); !short {
		top -= len(notice)
		for i, text := range notice {
			lines[top+i] = style.Row(l.w, style.Spans{{" " + text, m.noticeLook()}}, nil)
		}
	}
	if popup := m.popup(min(l.most+2, top-2)); len(popup) > 0 {
		top -= len(popup)
		copy(lines[top:], popup)
	}
	if m.reading.keys {
		return m.readingCursor(top)
	}
	if m.screen.focus == 0 {
		return at(m.prompt.x+promptIndent, l.prompt-len(rows)+1+m.prompt.y)
	}
	return m.paneCursor(top)
}

func at(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Blink = false
	return c
}

// paneCursor is the cursor of the agent that has the keys, unless it is hidden
// by it, scrolled away, or under what is drawn from the row below on.
func (m *Model) paneCursor(below int) *tea.Cursor {
	p := m.pane(m.screen.focus)
	if p == nil || !p.Living || !p.Interactive || m.screen.scroll[m.screen.focus] != 0 {
		return nil
	}
	c, inner := m.canvases[p.Slot], m.place(m.screen.focus).Inner()
	if c == nil || c.of == nil || !c.cursor.Visible {
		return nil
	}
	x, y := inner.X+c.cursor.X, inner.Y+c.cursor.Y
	if !inner.Contains(x, y) || y >= below {
		return nil
	}
	cursor := at(x, y)
	cursor.Shape, cursor.Blink = tea.CursorShape(c.cursor.Shape), c.cursor.Blink
	return cursor
}
