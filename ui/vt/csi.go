package vt

// controls are the control sequences without prefix and intermediate byte, by
// final byte. Their parameter counts are clamped where they are used.
var controls = [128]func(*Terminal, *params){
	'@': func(t *Terminal, p *params) { t.insertCells(p.param(0, 1)) },
	'A': func(t *Terminal, p *params) { t.up(p.param(0, 1)) },
	'B': func(t *Terminal, p *params) { t.down(p.param(0, 1)) },
	'C': func(t *Terminal, p *params) { t.column(t.x + p.param(0, 1)) },
	'D': func(t *Terminal, p *params) { t.back(p.param(0, 1)) },
	'E': func(t *Terminal, p *params) { t.down(p.param(0, 1)); t.x = 0 },
	'F': func(t *Terminal, p *params) { t.up(p.param(0, 1)); t.x = 0 },
	'G': func(t *Terminal, p *params) { t.column(p.param(0, 1) - 1) },
	'H': func(t *Terminal, p *params) { t.address(p.param(1, 1)-1, p.param(0, 1)-1) },
	'I': func(t *Terminal, p *params) { t.tab(p.param(0, 1)) },
	'J': (*Terminal).eraseDisplay,
	'K': (*Terminal).eraseLine,
	'L': func(t *Terminal, p *params) { t.insertLines(p.param(0, 1)) },
	'M': func(t *Terminal, p *params) { t.deleteLines(p.param(0, 1)) },
	'P': func(t *Terminal, p *params) { t.deleteCells(p.param(0, 1)) },
	'S': func(t *Terminal, p *params) { t.scrollUp(t.top, t.bottom, p.param(0, 1), true) },
	'T': func(t *Terminal, p *params) {
		if p.count <= 1 { // with more it is about highlighting
			t.scrollDown(t.top, t.bottom, p.param(0, 1))
		}
	},
	'X': func(t *Terminal, p *params) { t.erase(t.y, t.right(), t.x+p.param(0, 1)) },
	'Z': func(t *Terminal, p *params) { t.backTab(p.param(0, 1)) },
	'`': func(t *Terminal, p *params) { t.column(p.param(0, 1) - 1) },
	'a': func(t *Terminal, p *params) { t.column(t.x + p.param(0, 1)) },
	'b': func(t *Terminal, p *params) { t.repeat(p.param(0, 1)) },
	'c': (*Terminal).answerAttributes,
	'd': (*Terminal).setLine,
	'e': func(t *Terminal, p *params) { t.down(p.param(0, 1)) },
	'f': func(t *Terminal, p *params) { t.address(p.param(1, 1)-1, p.param(0, 1)-1) },
	'g': (*Terminal).clearTabs,
	'h': func(t *Terminal, p *params) { t.setModes(p, true) },
	'l': func(t *Terminal, p *params) { t.setModes(p, false) },
	'm': (*Terminal).selectGraphics,
	'n': (*Terminal).answerStatus,
	'r': (*Terminal).setRegion,
	's': func(t *Terminal, p *params) { t.save() },
	't': (*Terminal).answerSize,
	'u': func(t *Terminal, p *params) { t.restore() },
}

// sequence names a control sequence that has a prefix or intermediate byte.
type sequence struct{ prefix, extra, final byte }

var longControls = map[sequence]func(*Terminal, *params){
	{'?', 0, 'h'}:   func(t *Terminal, p *params) { t.setPrivateModes(p, true) },
	{'?', 0, 'l'}:   func(t *Terminal, p *params) { t.setPrivateModes(p, false) },
	{'?', 0, 'J'}:   (*Terminal).eraseDisplay,
	{'?', 0, 'K'}:   (*Terminal).eraseLine,
	{'?', 0, 'n'}:   (*Terminal).answerPrivateStatus,
	{'>', 0, 'c'}:   (*Terminal).answerVersion,
	{'>', 0, 'q'}:   (*Terminal).answerName,
	{'>', 0, 'm'}:   (*Terminal).setKeyOption,
	{'>', 0, 'n'}:   (*Terminal).resetKeyOption,
	{'?', 0, 'm'}:   (*Terminal).answerKeyOption,
	{'?', 0, 'u'}:   (*Terminal).answerKeyboard,
	{'>', 0, 'u'}:   func(t *Terminal, p *params) { t.keyboard.push(KittyFlags(p.param(0, 0))) },
	{'<', 0, 'u'}:   func(t *Terminal, p *params) { t.keyboard.pop(p.param(0, 1)) },
	{'=', 0, 'u'}:   func(t *Terminal, p *params) { t.keyboard.set(KittyFlags(p.param(0, 0)), p.param(1, 1)) },
	{0, '$', 'p'}:   (*Terminal).answerMode,
	{'?', '$', 'p'}: (*Terminal).answerPrivateMode,
	{0, '!', 'p'}:   func(t *Terminal, p *params) { t.softReset() },
	{0, ' ', 'q'}:   (*Terminal).setCursorShape,
}

// controlSequence carries out the control sequence that ends in final.
func (t *Terminal) controlSequence(final byte) {
	p := &t.parse.params
	if p.broken {
		return
	}
	carryOut := controls[final]
	if p.prefix != 0 || p.extra != 0 {
		carryOut = longControls[sequence{p.prefix, p.extra, final}]
	}
	if carryOut != nil {
		carryOut(t, p)
	}
}

// up moves the cursor up, stopping at the top of the scroll region if it began
// inside or below it.
func (t *Terminal) up(n int) {
	stop := 0
	if t.y >= t.top {
		stop = t.top
	}
	t.y, t.pending = max(stop, t.y-n), false
}

// down moves the cursor down, stopping at the bottom of the scroll region if
// it began inside or above it.
func (t *Terminal) down(n int) {
	stop := t.height - 1
	if t.y <= t.bottom {
		stop = t.bottom
	}
	t.y, t.pending = min(stop, t.y+n), false
}

// right is the column that the cursor is in, columns when it is past the last.
func (t *Terminal) right() int { return t.x + choose(t.pending, 1, 0) }

// back moves the cursor to the left.
func (t *Terminal) back(n int) { t.column(t.right() - n) }

// setLine puts the cursor into a row; it stays in its column.
func (t *Terminal) setLine(p *params) {
	pending := t.pending
	t.address(t.x, p.param(0, 1)-1)
	t.pending = pending
}

func (t *Terminal) column(x int) { t.x, t.pending = clamp(x, 0, t.columns-1), false }

// address puts the cursor at x, y; y counts from the scroll region in origin
// mode.
func (t *Terminal) address(x, y int) {
	if t.private.origin {
		y += t.top
	}
	t.place(x, y)
}

func (t *Terminal) eraseDisplay(p *params) {
	from, to := 0, t.height
	switch p.param(0, 0) {
	case 0:
		t.erase(t.y, t.right(), t.columns)
		from = t.y + 1
	case 1:
		t.erase(t.y, 0, t.x+1)
		to = t.y
	case 2:
	case 3:
		t.history.clear()
		return
	default:
		return
	}
	for y := from; y < to; y++ {
		t.erase(y, 0, t.columns)
	}
}

func (t *Terminal) eraseLine(p *params) {
	switch p.param(0, 0) {
	case 0:
		t.erase(t.y, t.right(), t.columns)
	case 1:
		t.erase(t.y, 0, t.x+1)
	case 2:
		t.erase(t.y, 0, t.columns)
	}
}

func (t *Terminal) insertLines(n int) {
	if t.y >= t.top && t.y <= t.bottom {
		t.scrollDown(t.y, t.bottom, n)
	}
}

func (t *Terminal) deleteLines(n int) {
	if t.y >= t.top && t.y <= t.bottom {
		t.scrollUp(t.y, t.bottom, n, false)
	}
}

// repeat prints the last character again, within the row.
func (t *Terminal) repeat(n int) {
	if t.pen.last == 0 || t.pending {
		return
	}
	width := max(runeWidth(t.pen.last), 1)
	for n = min(n, (t.columns-t.x)/width); n > 0; n-- {
		t.put(t.pen.last, width)
	}
}

func (t *Terminal) clearTabs(p *params) {
	switch p.param(0, 0) {
	case 0:
		t.tabs[t.x] = false
	case 3:
		clear(t.tabs)
	}
}

func (t *Terminal) setRegion(p *params) {
	top, bottom := p.param(0, 1)-1, min(p.param(1, t.height), t.height)-1
	if top < bottom {
		t.top, t.bottom = top, bottom
		t.x, t.y, t.pending = 0, 0, false // also in origin mode, as in tmux
	}
}
