package host

import (
	"fmt"
	"slices"

	"ferrus/ui/vt"
)

// Mirror draws a session on the terminal of `ferrus attach`. An agent's output reaches that
// terminal only through an emulator, and only the modes that keys depend on are passed on.
// The last row is a status line.
type Mirror struct {
	screen        *vt.Locked
	columns, rows int      // of that terminal
	drawn         []string // what is on the terminal now, by row
	modes         string
}

// Open and Shut are sent to the terminal before and after all frames.
const (
	Open = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?7l"
	Shut = "\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l" +
		"\x1b[0 q\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// NewMirror returns a mirror that shows what v has at first.
func NewMirror(v *View) *Mirror {
	m := &Mirror{screen: vt.NewLocked(v.Columns, v.Rows, 0)}
	_, _ = m.screen.Write(v.Screen) // an emulator takes everything
	return m
}

// Apply applies an event. Events come in their order.
func (m *Mirror) Apply(e Event) {
	if e.Columns > 0 && e.Rows > 0 {
		m.screen.Resize(e.Columns, e.Rows)
	}
	_, _ = m.screen.Write(e.Output) // as above
	m.screen.Replies()              // the host's own emulator has answered
}

// SessionSize returns the size of a session on a terminal with so many columns and rows.
func SessionSize(columns, rows int) (int, int) { return max(columns, 1), max(rows-1, 1) }

// Frame returns the bytes that bring the terminal from the previous frame up to date. Take
// may be called at the same time.
func (m *Mirror) Frame(columns, rows int, typing bool, status string) (b []byte) {
	m.screen.With(func(t *vt.Terminal) {
		if m.columns != columns || m.rows != rows {
			m.columns, m.rows, m.drawn = columns, rows, slices.Repeat([]string{""}, rows)
			b = append(b, "\x1b[0m\x1b[2J"...)
		}
		b = append(b, "\x1b[?2026h\x1b[?25l"...)
		b = m.draw(b, t, status)
		b = m.pass(b, t.Modes(), typing)
		b = m.cursor(b, t)
		b = append(b, "\x1b[?2026l"...)
	})
	return b
}

func (m *Mirror) draw(b []byte, t *vt.Terminal, status string) []byte {
	_, height := t.Size()
	for y := range m.rows {
		line := ""
		switch {
		case y == m.rows-1:
			line = "\x1b[7m" + fmt.Sprintf("%-*.*s", m.columns, m.columns, status) + "\x1b[0m"
		case y < height:
			line = t.Row(y)
		}
		if m.drawn[y] != line {
			m.drawn[y] = line
			b = fmt.Appendf(b, "\x1b[%d;1H\x1b[0m\x1b[2K%s", y+1, line)
		}
	}
	return b
}

// pass sets the key and mouse modes of the session's program, on a terminal that types.
func (m *Mirror) pass(b []byte, modes vt.Modes, typing bool) []byte {
	if !typing {
		modes = vt.Modes{}
	}
	set := func(number int, on bool) string {
		if on {
			return fmt.Sprintf("\x1b[?%dh", number)
		}
		return fmt.Sprintf("\x1b[?%dl", number)
	}
	mouse := modes.MouseEncoding == vt.MouseSGR
	now := set(1, modes.AppCursor) + set(2004, modes.BracketedPaste) + set(1004, modes.FocusEvents) +
		set(1000, mouse && modes.Mouse == vt.MouseClick) + set(1002, mouse && modes.Mouse == vt.MouseDrag) +
		set(1003, mouse && modes.Mouse == vt.MouseMotion) + set(1006, mouse && modes.Mouse != vt.MouseOff)
	if modes.AppKeypad {
		now += "\x1b="
	} else {
		now += "\x1b>"
	}
	if now == m.modes {
		return b
	}
	m.modes = now
	return append(b, now...)
}

func (m *Mirror) cursor(b []byte, t *vt.Terminal) []byte {
	c := t.Cursor()
	b = fmt.Appendf(b, "\x1b[%d;%dH", min(c.Y, m.rows-2)+1, min(c.X, m.columns-1)+1)
	if c.Visible && c.Y < m.rows-1 {
		b = append(b, "\x1b[?25h"...)
	}
	return b
}
