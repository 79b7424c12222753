package vt

import (
	"fmt"
	"slices"
)

// Snapshot returns bytes that bring a fresh terminal of this size to the same
// screens, modes, cursor and title, in the middle of a sequence or a character
// if need be; what the program writes next then has the same effect on both. It
// contains neither the scrollback nor the last character, so what would join or
// repeat that character does not.
func (t *Terminal) Snapshot() []byte {
	s := snapshot{t: t}
	s.add("\x1b]2;%s\x1b\\", t.reported.title)
	if t.reported.directory != "" {
		s.add("\x1b]7;%s\x1b\\", t.reported.directory)
	}
	s.tabs()
	if t.registers.left {
		s.put(t.registers.main, "\x1b[?1049h\x1b[?1047l")
	}
	s.screen(&t.screens[0])
	if t.modes.AltScreen {
		s.add("\x1b[?1047h")
		s.screen(&t.screens[1])
	}
	s.put(t.registers.saved, "\x1b7")
	s.modes()
	s.cursor()
	if t.modes.Synchronized {
		s.add("\x1b[?2026h")
	}
	s.b = append(s.b, t.parse.partial...)
	s.b = append(s.b, t.parse.held[:t.parse.holding]...)
	return s.b
}

// snapshot collects the bytes of a snapshot.
type snapshot struct {
	t *Terminal
	b []byte
}

func (s *snapshot) add(format string, args ...any) { s.b = fmt.Appendf(s.b, format, args...) }

func (s *snapshot) moveTo(x, y int) { s.add("\x1b[%d;%dH", y+1, x+1) }

// tabs sets the tab stops, if they are not the usual ones.
func (s *snapshot) tabs() {
	usual := func(x int) bool { return x > 0 && x%8 == 0 }
	same := true
	for x, on := range s.t.tabs {
		same = same && on == usual(x)
	}
	if same {
		return
	}
	s.add("\x1b[3g")
	for x, on := range s.t.tabs {
		if on {
			s.moveTo(x, 0)
			s.add("\x1bH")
		}
	}
}

// screen draws one of the screens, which is the one in use and fresh.
func (s *snapshot) screen(from *screen) {
	wrapped := false
	for y, r := range from.rows {
		n := r.length()
		if r.wrapped {
			n = len(r.cells)
		}
		if wrapped {
			n = max(n, 1) // something must be printed for the row above to wrap
		} else {
			s.moveTo(0, y)
		}
		s.b = s.t.tables.appendCells(s.b, r.cells[:n], forStore)
		s.add("%s", choose(r.prompt, "\x1b]133;A\x1b\\", ""))
		wrapped = r.wrapped
	}
	s.keyboard(from.keyboard)
	s.moveTo(from.x, from.y)
}

// put sets a cursor and saves it, while the scroll region is the whole screen, so
// that origin mode does not limit it.
func (s *snapshot) put(c saved, away string) {
	s.add("%s", choose(c.origin, "\x1b[?6h", ""))
	s.moveTo(c.x, c.y)
	s.pen(c.style, c.charsets)
	s.add("%s\x1b[?6l", away)
	s.pen(Style{}, asciiSets)
}

func (s *snapshot) keyboard(k keyboard) {
	for i, flags := range append(slices.Clip(k.stack), k.flags) {
		s.add(choose(i == 0, "\x1b[=%du", "\x1b[>%du"), flags)
	}
}

// pen selects a style, with its link, and character sets.
func (s *snapshot) pen(style Style, c charsets) {
	s.b = appendSGR(s.b, style)
	s.b = appendLink(s.b, s.t.Link(style))
	for i, set := range c.sets {
		s.add("\x1b%c%c", '('+i, set)
	}
	s.add("%s", [...]string{"\x0f", "\x0e", "\x1bn", "\x1bo"}[c.left])
}

// modes sets what is not as in a fresh terminal.
func (s *snapshot) modes() {
	fresh := New(1, 1, 0)
	for _, m := range privateFlags {
		on := *m.flag(s.t)
		if on != *m.flag(fresh) && m.number != 6 && m.number != 2026 {
			s.add("\x1b[?%d%c", m.number, choose(on != m.inverted, 'h', 'l'))
		}
	}
	for number, mode := range mouseModes {
		s.add("%s", choose(mode == s.t.modes.Mouse, fmt.Sprintf("\x1b[?%dh", number), ""))
	}
	for number, encoding := range mouseEncodings {
		s.add("%s", choose(encoding == s.t.modes.MouseEncoding, fmt.Sprintf("\x1b[?%dh", number), ""))
	}
	s.add("\x1b[>4;%dm\x1b[%d q", s.t.modes.ModifyOtherKeys, s.t.shapeNumber())
	s.add("%s", choose(s.t.private.insert, "\x1b[4h", ""))
	s.add("%s", choose(s.t.private.newLine, "\x1b[20h", ""))
}

// cursor puts the cursor and the pen where they are. After the last column a
// character was printed that has not wrapped yet: it is printed again.
func (s *snapshot) cursor() {
	t := s.t
	x, y := t.x, t.y
	if t.top > 0 || t.bottom < t.height-1 {
		s.add("\x1b[%d;%dr", t.top+1, t.bottom+1)
	}
	if t.private.origin {
		s.add("\x1b[?6h")
		y -= t.top
	}
	if t.pending {
		r, before := t.before()
		s.moveTo(before, y)
		s.add("\x1b[?7h")
		s.b = t.tables.appendCells(s.b, r.cells[before:], forStore)
		s.add("%s", choose(t.private.noWrap, "\x1b[?7l", ""))
	} else {
		s.moveTo(x, y)
	}
	s.pen(t.pen.style, t.pen.charsets)
}
