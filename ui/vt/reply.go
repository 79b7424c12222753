package vt

import "fmt"

const (
	name       = "ferrus"
	maxReplies = 1 << 16 // more is dropped: the program does not read
)

// Colors are the colours that a program gets when it asks for them, so that it
// can choose between its light and its dark look.
type Colors struct {
	Foreground, Background, Cursor Color
}

var darkColors = Colors{
	Foreground: RGB(0xd8, 0xde, 0xe9),
	Background: RGB(0x16, 0x19, 0x21),
	Cursor:     RGB(0xd8, 0xde, 0xe9),
}

// reply queues an answer to the program.
func (r *reported) reply(format string, args ...any) {
	if len(r.replies) < maxReplies {
		r.replies = fmt.Appendf(r.replies, format, args...)
	}
}

// answerAttributes is DA1: a VT220 with colour.
func (r *reported) answerAttributes(p *params) {
	if p.param(0, 0) == 0 {
		r.reply("\x1b[?62;22c")
	}
}

// answerVersion is DA2. Programs look for at least xterm 277 before they
// believe in SGR mouse reports.
func (r *reported) answerVersion(p *params) {
	if p.param(0, 0) == 0 {
		r.reply("\x1b[>1;400;0c")
	}
}

// answerName is XTVERSION.
func (r *reported) answerName(p *params) {
	if p.param(0, 0) == 0 {
		r.reply("\x1bP>|%s\x1b\\", name)
	}
}

// answerStatus is DSR: 5 asks for health, 6 for the cursor.
func (t *Terminal) answerStatus(p *params) {
	switch p.param(0, 0) {
	case 5:
		t.reported.reply("\x1b[0n")
	case 6:
		t.reported.reply("\x1b[%d;%dR", t.reportedRow(), t.x+1)
	}
}

// answerPrivateStatus is the private DSR: 6 the cursor, 996 dark or light.
func (t *Terminal) answerPrivateStatus(p *params) {
	switch p.param(0, 0) {
	case 6:
		t.reported.reply("\x1b[?%d;%d;1R", t.reportedRow(), t.x+1)
	case 996:
		t.reported.reply("\x1b[?997;%dn", choose(t.Colors.dark(), 1, 2))
	}
}

// reportedRow returns the cursor's row as the program counts.
func (w *writer) reportedRow() int {
	if w.private.origin {
		return w.y - w.top + 1
	}
	return w.y + 1
}

// dark reports whether the background is darker than it is light.
func (c Colors) dark() bool {
	red, green, blue, ok := c.Background.RGB()
	return !ok || 299*int(red)+587*int(green)+114*int(blue) < 128_000
}

// answerMode is DECRQM: 1 on, 2 off, 0 unknown.
func (t *Terminal) answerMode(p *params) {
	n, state := p.param(0, 0), 0
	if flag := t.modeFlag(n); flag != nil {
		state = choose(*flag, 1, 2)
	}
	t.reported.reply("\x1b[%d;%d$y", n, state)
}

// answerPrivateMode is DECRQM for private modes.
func (t *Terminal) answerPrivateMode(p *params) {
	n, state := p.param(0, 0), 0
	if on, known := t.privateMode(n); known {
		state = choose(on, 1, 2)
	}
	t.reported.reply("\x1b[?%d;%d$y", n, state)
}

// answerSize is the one report of XTWINOPS that says nothing about pixels.
func (t *Terminal) answerSize(p *params) {
	if p.param(0, 0) == 18 {
		t.reported.reply("\x1b[8;%d;%dt", t.height, t.columns)
	}
}

func (t *Terminal) answerKeyboard(*params) { t.reported.reply("\x1b[?%du", t.keyboard.flags) }

func (t *Terminal) answerKeyOption(p *params) {
	if p.param(0, 0) == 4 {
		t.reported.reply("\x1b[>4;%dm", t.modes.ModifyOtherKeys)
	}
}

// answerColor answers an operating system command that asks for a colour.
func (r *reported) answerColor(command string, c Color, end string) {
	if red, green, blue, ok := c.RGB(); ok {
		r.reply("\x1b]%s;rgb:%02x%02[2]x/%02[3]x%02[3]x/%02[4]x%02[4]x%[5]s", command, red, green, blue, end)
	}
}

// answerSetting is DECRQSS: how something is set, as the sequence that sets it.
func (t *Terminal) answerSetting(what string) {
	switch what {
	case "m":
		sgr := string(appendSGR(nil, t.pen.style))
		t.reported.reply("\x1bP1$r%s\x1b\\", sgr[len("\x1b["):])
	case "r":
		t.reported.reply("\x1bP1$r%d;%dr\x1b\\", t.top+1, t.bottom+1)
	case " q":
		t.reported.reply("\x1bP1$r%d q\x1b\\", t.shapeNumber())
	default:
		t.reported.reply("\x1bP0$r\x1b\\")
	}
}

// shapeNumber returns the cursor as DECSCUSR counts.
func (w *writer) shapeNumber() int {
	return 2*int(w.private.shape) + choose(w.private.steady, 2, 1)
}
