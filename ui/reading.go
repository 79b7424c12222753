package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/vt"
)

// copyMode is how a person reads one pane: what is selected and sought in it,
// and where the cursor is. The zero reading reads nothing.
type copyMode struct {
	number  int        // of the pane
	of      *vt.Locked // its terminal
	columns int        // lines keep their numbers at this width
	keys    bool       // keys move, select and seek; otherwise only the mouse selected
	before  int        // lines back when it began
	at      vt.Place   // the cursor, or where the mouse is
	mark    selection
	seek    paneSearch
	press   mouseDrag
}

// read begins to read the chosen pane with the keys, at its last row.
func (m *Model) read() tea.Cmd {
	n := m.current()
	p := m.pane(n)
	if p == nil || p.Terminal == nil {
		m.say("there is nothing to read: only panes of sessions can be searched and copied from", false)
		return nil
	}
	r := copyMode{number: n, of: p.Terminal, keys: true, before: m.screen.scroll[n]}
	m.scrollTo(n, r.before) // from now on it stays where it is
	p.Terminal.With(func(t *vt.Terminal) {
		r.columns, _ = t.Size()
		_, r.at.Line = t.Lines()
		r.at.Line += t.Cursor().Y - r.before
	})
	m.screen.chosen = n
	m.reading = r
	return m.fitPanes()
}

// findInPane begins to read with a search.
func (m *Model) findInPane() tea.Cmd {
	cmd := m.read()
	m.reading.seek.typing = m.reading.keys
	return cmd
}

// valid reports that what is read is still there.
func (m *Model) valid() bool {
	r := &m.reading
	p := m.pane(r.number)
	if p == nil || p.Terminal != r.of {
		return false
	}
	columns := 0
	r.of.With(func(t *vt.Terminal) { columns, _ = t.Size() })
	return columns == r.columns
}

// stopReading gives the keys back and shows what was shown before.
func (m *Model) stopReading() tea.Cmd {
	if r := m.reading; r.keys {
		m.scrollTo(r.number, r.before)
	}
	m.reading = copyMode{}
	return nil
}

// escape undoes the last of what reading did: the selection, the search, itself.
func (m *Model) escape() tea.Cmd {
	r := &m.reading
	switch {
	case r.mark.on:
		r.mark = selection{}
	case r.seek.text != "":
		r.seek = paneSearch{}
	default:
		return m.stopReading()
	}
	return nil
}

// pressReading is a key while a pane is read.
func (m *Model) pressReading(msg tea.KeyPressMsg) tea.Cmd {
	m.notice.Text = ""
	if !m.valid() {
		return m.stopReading()
	}
	name := msg.Keystroke()
	if m.reading.seek.typing && m.pressSeeking(name, msg.Text) {
		return nil
	}
	if k, ok := m.struck(InCopyMode, name); ok && k.press != nil {
		return k.press(m)
	}
	if k, ok := m.struck(AtPrompt, name); ok && !editsPrompt[k.Name] || m.does(name, "leave") {
		return m.elseIn(k, name)
	}
	m.moveReading(name)
	return nil
}

// elseIn does a key that means something everywhere, and stops reading for it.
func (m *Model) elseIn(k Key, name string) tea.Cmd {
	m.stopReading()
	switch {
	case m.does(name, "leave"):
		return m.leave()
	case k.press == nil:
		return m.focusOn(number(name))
	}
	return k.press(m)
}

// moveReading moves the cursor.
func (m *Model) moveReading(name string) {
	page := max(m.place(m.reading.number).Inner().H-1, 1)
	lines := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page, "g": -1 << 20, "shift+g": 1 << 20}
	columns := map[string]int{"left": -1, "h": -1, "right": 1, "l": 1, "home": -1 << 20, "0": -1 << 20}
	r := &m.reading
	r.of.With(func(t *vt.Terminal) {
		oldest, screen := t.Lines()
		_, rows := t.Size()
		r.at.Line = max(oldest, min(r.at.Line+lines[name], screen+rows-1))
		cells, _ := t.Cells(r.at.Line)
		if name == "end" || name == "shift+4" || name == "$" {
			r.at.Column = len(cells) - 1
		}
		r.at.Column = max(0, min(r.at.Column+columns[name], r.columns-1))
		for r.at.Column > 0 && r.at.Column < len(cells) && cells[r.at.Column] == "" { // half of a wide character
			r.at.Column += choose(columns[name] > 0, 1, -1)
		}
	})
	m.reveal(r.at, false)
}

// toPrompt goes to the next prompt of a shell, up (-1) or down (+1).
func toPrompt(step int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		r := &m.reading
		found := false
		r.of.With(func(t *vt.Terminal) {
			oldest, screen := t.Lines()
			_, rows := t.Size()
			for line := r.at.Line + step; line >= oldest && line < screen+rows && !found; line += step {
				if found = t.Prompt(line); found {
					r.at = vt.Place{Line: line}
				}
			}
		})
		if !found {
			m.say("no other prompt that a shell told of", false)
		}
		m.reveal(r.at, false)
		return nil
	}
}

func choose[T any](on bool, yes, no T) T {
	if on {
		return yes
	}
	return no
}

// reveal scrolls as little as it takes to show a place, or until it is in the
// middle if it was not to be seen.
func (m *Model) reveal(at vt.Place, middle bool) {
	n, h := m.reading.number, m.place(m.reading.number).Inner().H
	back, newest := m.screen.scroll[n], 0
	m.reading.of.With(func(t *vt.Terminal) {
		_, newest = t.Lines()
		newest += hiddenRows(t, h)
	})
	top := newest - back
	switch {
	case at.Line >= top && at.Line < top+h:
		return
	case middle:
		back = newest + h/2 - at.Line
	case at.Line < top:
		back = newest - at.Line
	default:
		back = newest - at.Line + h - 1
	}
	m.scrollTo(n, back)
}

// readingCursor is the cursor while the keys read, unless it is above or below
// what is shown.
func (m *Model) readingCursor(below int) *tea.Cursor {
	p, inner := m.pane(m.reading.number), m.place(m.reading.number).Inner()
	if p == nil || m.canvases[p.Slot] == nil {
		return nil
	}
	x, y := inner.X+m.reading.at.Column, inner.Y+m.reading.at.Line-m.canvases[p.Slot].top
	if !inner.Contains(x, y) || y >= below {
		return nil
	}
	return at(x, y)
}

// readingHints is what the key line begins with while a pane is read.
func (m *Model) readingHints(w int) style.Spans {
	t, s := m.theme, &m.reading.seek
	switch {
	case s.typing:
		query := []rune(s.text)
		hints := append(style.Spans{{" find ", t.Strong}, {string(query[max(len(query)-20, 0):]) + "▏", t.Key}}, m.foundHint()...)
		return t.Hints(w, hints, [2]string{"Enter", "go on there"}, [2]string{"Esc", "back"})
	case s.text != "":
		return append(style.Spans{{" " + text.Cut(s.text, 20), t.Strong}}, append(m.foundHint(), style.Span{"  ", ""})...)
	}
	return nil
}

func (m *Model) foundHint() style.Spans {
	s := &m.reading.seek
	switch {
	case s.text == "":
		return nil
	case len(s.found) == 0:
		return style.Spans{{" is not in this pane", m.theme.Tones[style.Warn]}}
	}
	return style.Spans{{fmt.Sprintf(" %d of %d", s.at+1, len(s.found)), m.theme.Faint}}
}
