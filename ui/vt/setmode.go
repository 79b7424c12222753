package vt

// setModes carries out SM and RM.
func (t *Terminal) setModes(p *params, on bool) {
	for _, n := range p.values[:p.count] {
		if flag := t.modeFlag(n); flag != nil {
			*flag = on
		}
	}
}

// modeFlag returns where ANSI mode n is kept; nil when there is no such mode.
func (w *writer) modeFlag(n int) *bool {
	switch n {
	case 4:
		return &w.private.insert
	case 20:
		return &w.private.newLine
	}
	return nil
}

// privateFlags are the private modes that are only kept.
var privateFlags = []struct {
	number   int
	inverted bool // what is kept is that the mode is off
	flag     func(*Terminal) *bool
}{
	{1, false, func(t *Terminal) *bool { return &t.modes.AppCursor }},
	{6, false, func(t *Terminal) *bool { return &t.private.origin }},
	{7, true, func(t *Terminal) *bool { return &t.private.noWrap }},
	{12, true, func(t *Terminal) *bool { return &t.private.steady }},
	{25, true, func(t *Terminal) *bool { return &t.private.hidden }},
	{66, false, func(t *Terminal) *bool { return &t.modes.AppKeypad }},
	{1004, false, func(t *Terminal) *bool { return &t.modes.FocusEvents }},
	{1007, false, func(t *Terminal) *bool { return &t.modes.AlternateScroll }},
	{2004, false, func(t *Terminal) *bool { return &t.modes.BracketedPaste }},
	{2026, false, func(t *Terminal) *bool { return &t.modes.Synchronized }},
}

var mouseModes = map[int]MouseMode{9: MousePress, 1000: MouseClick, 1002: MouseDrag, 1003: MouseMotion}

var mouseEncodings = map[int]MouseEncoding{1005: MouseUTF8, 1006: MouseSGR, 1015: MouseURXVT}

// privateMode reports whether private mode n is on, and whether it is known.
func (t *Terminal) privateMode(n int) (on, known bool) {
	for _, m := range privateFlags {
		if m.number == n {
			return *m.flag(t) != m.inverted, true
		}
	}
	if mode, ok := mouseModes[n]; ok {
		return t.modes.Mouse == mode, true
	}
	if encoding, ok := mouseEncodings[n]; ok {
		return t.modes.MouseEncoding == encoding, true
	}
	switch n {
	case 47, 1047, 1049:
		return t.modes.AltScreen, true
	}
	return false, false
}

// setPrivateModes carries out DECSET and DECRST.
func (t *Terminal) setPrivateModes(p *params, on bool) {
	for _, n := range p.values[:p.count] {
		t.setPrivateMode(n, on)
	}
}

func (t *Terminal) setPrivateMode(n int, on bool) {
	for _, m := range privateFlags {
		if m.number == n {
			t.setPrivateFlag(n, m.flag(t), on != m.inverted)
			return
		}
	}
	if mode, ok := mouseModes[n]; ok {
		t.modes.Mouse = choose(on, mode, MouseOff)
	}
	if encoding, ok := mouseEncodings[n]; ok {
		t.modes.MouseEncoding = choose(on, encoding, MouseBytes)
	}
	switch n {
	case 3: // the size stays, but the screen is cleared
		t.top, t.bottom = 0, t.height-1
		t.address(0, 0)
		for y := range t.rows {
			t.erase(y, 0, t.columns)
		}
	case 47, 1047:
		t.alternate(on)
	case 1048:
		if on {
			t.save()
		} else {
			t.restore()
		}
	case 1049:
		t.alternateWithCursor(on)
	}
}

func (t *Terminal) setPrivateFlag(n int, flag *bool, value bool) {
	changed := *flag != value
	if n == 2026 && changed && value {
		t.beginSync() // before the mode is seen to be on
	}
	*flag = value
	switch n {
	case 6:
		t.address(0, 0)
	case 12, 25, 2026:
		t.gen++
	}
}

func choose[T any](on bool, yes, no T) T {
	if on {
		return yes
	}
	return no
}

// alternateWithCursor keeps the cursor of the main screen meanwhile. A program
// that leaves what it never entered gets the cursor it had when it last did.
func (t *Terminal) alternateWithCursor(on bool) {
	if on && !t.modes.AltScreen {
		t.registers.main, t.registers.left = t.currentCursor(), true
	}
	t.alternate(on)
	if !on && t.registers.left {
		t.restoreCursor(t.registers.main)
	}
}

// alternate changes to the alternate screen, which is then as new, and back.
func (t *Terminal) alternate(on bool) {
	if on == t.modes.AltScreen {
		return
	}
	x, y, pending := t.x, t.y, t.pending
	t.modes.AltScreen = on
	t.screen = &t.screens[0]
	if on {
		t.screen = &t.screens[1]
		t.keyboard = keyboard{}
		for _, r := range t.rows {
			t.clear(r)
			fill(r.cells, blank) // in no colour, as in tmux
		}
	}
	t.place(x, y)
	t.pending = pending
	t.move(t.screen)
}

// softReset is DECSTR: the settings of output, but not the screen.
func (t *Terminal) softReset() {
	t.private.insert, t.private.origin, t.private.noWrap, t.private.hidden = false, false, false, false
	t.modes.AppCursor, t.modes.AppKeypad = false, false
	t.top, t.bottom = 0, t.height-1
	t.pen.charsets = asciiSets
	t.registers.saved = saved{charsets: asciiSets}
	t.setStyle(Style{})
	t.gen++
}

// setCursorShape is DECSCUSR.
func (w *writer) setCursorShape(p *params) {
	n := p.param(0, 1)
	if n > 6 {
		return
	}
	w.private.shape = CursorShape((n - 1) / 2)
	w.private.steady = n%2 == 0
	w.gen++
}
