package vt

// escapeByte takes a byte after an ESC.
func (t *Terminal) escapeByte(c byte) {
	switch t.parse.state {
	case stringEscape:
		t.parse.state = ground
		t.endString("\x1b\\")
		if c != '\\' {
			t.parse.state = escape
			t.escapeByte(c)
		}
	case escape:
		t.escapeFirst(c)
	case escapeExtra:
		t.escapeFinal(c)
	}
}

// escapeFirst takes the first byte after an ESC.
func (t *Terminal) escapeFirst(c byte) {
	k := &t.parse
	switch {
	case c == 0x1b:
	case c < 0x20:
		t.single(c)
		if c == 0x18 || c == 0x1a {
			k.state = ground
		}
	case c < 0x30:
		k.extra = c
		k.state = escapeExtra
	case c == '[':
		k.params.reset()
		k.state = control
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X' || c == 'k':
		k.kind, k.text, k.cut = c, k.text[:0], false
		k.state = stringText
	default:
		k.state = ground
		t.escaped(c)
	}
}

// escapeFinal takes the byte after an intermediate byte.
func (t *Terminal) escapeFinal(c byte) {
	k := &t.parse
	switch {
	case c == 0x1b:
		k.state = escape
	case c == 0x18 || c == 0x1a:
		k.state = ground
	case c < 0x20:
		t.single(c)
	case c >= 0x30 && c < 0x7f:
		k.state = ground
		switch {
		case k.extra >= '(' && k.extra <= '+':
			t.pen.charsets.sets[k.extra-'('] = c
		case k.extra == '#' && c == '8':
			t.alignment()
		}
	}
}

// escaped carries out an escape of one byte.
func (t *Terminal) escaped(c byte) {
	switch c {
	case '7':
		t.save()
	case '8':
		t.restore()
	case 'D':
		t.lineFeed()
	case 'E':
		t.x, t.pending = 0, false
		t.lineFeed()
	case 'H':
		t.tabs[t.x] = true
	case 'M':
		t.reverseLineFeed()
	case 'c':
		t.reset()
	case '=':
		t.modes.AppKeypad = true
	case '>':
		t.modes.AppKeypad = false
	case 'n':
		t.pen.charsets.left = 2
	case 'o':
		t.pen.charsets.left = 3
	}
}

// single carries out a control character.
func (t *Terminal) single(c byte) {
	t.pen.joinable = false
	switch c {
	case '\b':
		t.back(1)
	case '\t':
		t.tab(1)
	case '\n', '\v', '\f':
		if t.private.newLine {
			t.x, t.pending = 0, false
		}
		t.lineFeed()
	case '\r':
		t.x, t.pending = 0, false
	case 0x0e:
		t.pen.charsets.left = 1
	case 0x0f:
		t.pen.charsets.left = 0
	}
}

// lineFeed moves down one row, scrolling at the bottom of the region.
func (w *writer) lineFeed() {
	if w.y == w.bottom {
		w.scrollUp(w.top, w.bottom, 1, true)
	} else if w.y < w.height-1 {
		w.y++
	}
}

// reverseLineFeed moves up one row, scrolling at the top of the region.
func (w *writer) reverseLineFeed() {
	if w.y == w.top {
		w.scrollDown(w.top, w.bottom, 1)
	} else if w.y > 0 {
		w.y--
	}
}

// alignment fills the screen with E, for adjusting a tube.
func (w *writer) alignment() {
	w.top, w.bottom = 0, w.height-1
	w.x, w.y, w.pending = 0, 0, false
	for _, r := range w.rows {
		fill(r.cells, cell{content: 'E'})
		r.wrapped = false
		w.touch(r)
	}
}

func (w *writer) save() { w.registers.saved = w.currentCursor() }

func (w *writer) restore() { w.restoreCursor(w.registers.saved) }

// currentCursor returns the cursor as it is now.
func (w *writer) currentCursor() saved {
	return saved{w.x, w.y, w.pen.style, w.pen.charsets, w.private.origin}
}

func (w *writer) restoreCursor(s saved) {
	w.private.origin = s.origin
	w.pen.charsets = s.charsets
	w.place(s.x, s.y)
	w.setStyle(s.style)
}

// place puts the cursor at x, y of the screen; in origin mode it stays in the
// scroll region.
func (w *writer) place(x, y int) {
	top, bottom := 0, w.height-1
	if w.private.origin {
		top, bottom = w.top, w.bottom
	}
	w.x, w.y, w.pending = clamp(x, 0, w.columns-1), clamp(y, top, bottom), false
}

func (w *writer) resetTabs() {
	w.tabs = make([]bool, w.columns)
	for x := 8; x < w.columns; x += 8 {
		w.tabs[x] = true
	}
}

// tab moves to the n-th tab stop to the right.
func (w *writer) tab(n int) {
	for ; n > 0 && w.x < w.columns-1; n-- {
		w.x++
		for w.x < w.columns-1 && !w.tabs[w.x] {
			w.x++
		}
	}
}

// backTab moves to the n-th tab stop to the left.
func (w *writer) backTab(n int) {
	w.pending = false
	for ; n > 0 && w.x > 0; n-- {
		w.x--
		for w.x > 0 && !w.tabs[w.x] {
			w.x--
		}
	}
}
