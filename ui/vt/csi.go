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
	'c': func(t *Terminal, p *params) { t.reported.answerAttributes(p) },
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
	{'>', 0, 'c'}:   func(t *Terminal, p *params) { t.reported.answerVersion(p) },
	{'>', 0, 'q'}:   func(t *Terminal, p *params) { t.reported.answerName(p) },
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
func (w *writer) up(n int) {
	stop := 0
	if w.y >= w.top {
		stop = w.top
	}
	w.y, w.pending = max(stop, w.y-n), false
}

// down moves the cursor down, stopping at the bottom of the scroll region if
// it began inside or above it.
func (w *writer) down(n int) {
	stop := w.height - 1
	if w.y <= w.bottom {
		stop = w.bottom
	}
	w.y, w.pending = min(stop, w.y+n), false
}

// right returns the column that the cursor is in, columns when it is past the last.
func (w *writer) right() int { return w.x + choose(w.pending, 1, 0) }

// back moves the cursor to the left.
func (w *writer) back(n int) { w.column(w.right() - n) }

// setLine puts the cursor into a row; it stays in its column.
func (w *writer) setLine(p *params) {
	pending := w.pending
	w.address(w.x, p.param(0, 1)-1)
	w.pending = pending
}

func (w *writer) column(x int) { w.x, w.pending = clamp(x, 0, w.columns-1), false }

// address puts the cursor at x, y; y counts from the scroll region in origin
// mode.
func (w *writer) address(x, y int) {
	if w.private.origin {
		y += w.top
	}
	w.place(x, y)
}

func (w *writer) eraseDisplay(p *params) {
	from, to := 0, w.height
	switch p.param(0, 0) {
	case 0:
		w.erase(w.y, w.right(), w.columns)
		from = w.y + 1
	case 1:
		w.erase(w.y, 0, w.x+1)
		to = w.y
	case 2:
	case 3:
		w.history.clear()
		return
	default:
		return
	}
	for y := from; y < to; y++ {
		w.erase(y, 0, w.columns)
	}
}

func (w *writer) eraseLine(p *params) {
	switch p.param(0, 0) {
	case 0:
		w.erase(w.y, w.right(), w.columns)
	case 1:
		w.erase(w.y, 0, w.x+1)
	case 2:
		w.erase(w.y, 0, w.columns)
	}
}

func (w *writer) insertLines(n int) {
	if w.y >= w.top && w.y <= w.bottom {
		w.scrollDown(w.y, w.bottom, n)
	}
}

func (w *writer) deleteLines(n int) {
	if w.y >= w.top && w.y <= w.bottom {
		w.scrollUp(w.y, w.bottom, n, false)
	}
}

// repeat prints the last character again, within the row.
func (w *writer) repeat(n int) {
	if w.pen.last == 0 || w.pending {
		return
	}
	width := max(runeWidth(w.pen.last), 1)
	for n = min(n, (w.columns-w.x)/width); n > 0; n-- {
		w.put(w.pen.last, width)
	}
}

func (w *writer) clearTabs(p *params) {
	switch p.param(0, 0) {
	case 0:
		w.tabs[w.x] = false
	case 3:
		clear(w.tabs)
	}
}

func (w *writer) setRegion(p *params) {
	top, bottom := p.param(0, 1)-1, min(p.param(1, w.height), w.height)-1
	if top < bottom {
		w.top, w.bottom = top, bottom
		w.x, w.y, w.pending = 0, 0, false // also in origin mode, as in tmux
	}
}
