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
	case '\a':
		t.reported.bells++
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
func (t *Terminal) lineFeed() {
	if t.y == t.bottom {
		t.scrollUp(t.top, t.bottom, 1, true)
	} else if t.y < t.height-1 {
		t.y++
	}
}

// reverseLineFeed moves up one row, scrolling at the top of the region.
func (t *Terminal) reverseLineFeed() {
	if t.y == t.top {
		t.scrollDown(t.top, t.bottom, 1)
	} else if t.y > 0 {
		t.y--
	}
}

// alignment fills the screen with E, for adjusting a tube.
func (t *Terminal) alignment() {
	t.top, t.bottom = 0, t.height-1
	t.x, t.y, t.pending = 0, 0, false
	for _, r := range t.rows {
		fill(r.cells, cell{content: 'E'})
		r.wrapped = false
		t.touch(r)
	}
}

func (t *Terminal) save() { t.registers.saved = t.currentCursor() }

func (t *Terminal) restore() { t.restoreCursor(t.registers.saved) }

// currentCursor is the cursor as it is now.
func (t *Terminal) currentCursor() saved {
	return saved{t.x, t.y, t.pen.style, t.pen.charsets, t.private.origin}
}

func (t *Terminal) restoreCursor(s saved) {
	t.private.origin = s.origin
	t.pen.charsets = s.charsets
	t.place(s.x, s.y)
	t.setStyle(s.style)
}

// place puts the cursor at x, y of the screen; in origin mode it stays in the
// scroll region.
func (t *Terminal) place(x, y int) {
	top, bottom := 0, t.height-1
	if t.private.origin {
		top, bottom = t.top, t.bottom
	}
	t.x, t.y, t.pending = clamp(x, 0, t.columns-1), clamp(y, top, bottom), false
}

func (t *Terminal) resetTabs() {
	t.tabs = make([]bool, t.columns)
	for x := 8; x < t.columns; x += 8 {
		t.tabs[x] = true
	}
}

// tab moves to the n-th tab stop to the right.
func (t *Terminal) tab(n int) {
	for ; n > 0 && t.x < t.columns-1; n-- {
		t.x++
		for t.x < t.columns-1 && !t.tabs[t.x] {
			t.x++
		}
	}
}

// backTab moves to the n-th tab stop to the left.
func (t *Terminal) backTab(n int) {
	t.pending = false
	for ; n > 0 && t.x > 0; n-- {
		t.x--
		for t.x > 0 && !t.tabs[t.x] {
			t.x--
		}
	}
}
