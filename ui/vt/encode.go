package vt

import (
	"strconv"
	"strings"
)

// EncodeKey returns a key as the program wants it, in the modes that it set; nil for
// what cannot be said to it.
func (t *Terminal) EncodeKey(k Key) []byte { return t.Modes().encodeKey(k) }

// EncodePaste returns pasted text as the program wants it. Line ends become what
// Enter sends, and control characters are dropped, so that text cannot end a
// bracketed paste and begin to type.
func (t *Terminal) EncodePaste(text string) []byte { return t.modes.encodePaste(text) }

// EncodeFocus returns what says to the program that it got or lost the focus; nil if it
// did not ask.
func (t *Terminal) EncodeFocus(focused bool) []byte { return t.modes.encodeFocus(focused) }

func (m Modes) encodePaste(text string) []byte {
	text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	if m.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}

func (m Modes) encodeFocus(focused bool) []byte {
	if !m.FocusEvents {
		return nil
	}
	return []byte(choose(focused, "\x1b[I", "\x1b[O"))
}

// buttonCodes are the numbers of the buttons in a report.
var buttonCodes = map[Button]int{
	NoButton: 3, LeftButton: 0, MiddleButton: 1, RightButton: 2,
	WheelUp: 64, WheelDown: 65, WheelLeft: 66, WheelRight: 67,
	BackButton: 128, ForwardButton: 129,
}

func (b Button) wheel() bool { return b >= WheelUp && b <= WheelRight }

// EncodeMouse returns a mouse event as the program wants it, nil when it does not
// want it. On the alternate screen the wheel is arrows for a program that does
// not know the mouse.
func (t *Terminal) EncodeMouse(m Mouse) []byte {
	if t.modes.Mouse == MouseOff {
		return t.modes.wheelKeys(m)
	}
	if !t.modes.wants(m) {
		return nil
	}
	code, ok := buttonCodes[m.Button]
	if !ok {
		return nil
	}
	if m.Action == MouseMoved {
		code += 32
	}
	if t.modes.Mouse > MousePress {
		code += choose(m.Mod&Shift != 0, 4, 0) + choose(m.Mod&(Alt|Meta) != 0, 8, 0) + choose(m.Mod&Ctrl != 0, 16, 0)
	}
	x, y := clamp(m.X, 0, t.columns-1)+1, clamp(m.Y, 0, t.height-1)+1
	return t.modes.mouseReport(code, x, y, m.Action == MouseReleased)
}

// wants reports whether the program asked for such events.
func (m Modes) wants(e Mouse) bool {
	switch e.Action {
	case MouseMoved:
		return m.Mouse == MouseMotion || m.Mouse == MouseDrag && e.Button != NoButton
	case MouseReleased:
		return m.Mouse > MousePress && !e.Button.wheel()
	}
	return e.Button != NoButton && (m.Mouse > MousePress || e.Button <= RightButton)
}

// mouseReport writes a report in the encoding the program chose; nil when it
// cannot say it.
func (m Modes) mouseReport(code, x, y int, released bool) []byte {
	if m.MouseEncoding == MouseSGR {
		end := choose[byte](released, 'm', 'M')
		return append(appendNumbers([]byte("\x1b[<"), code, x, y), end)
	}
	if released {
		code = code&^3 | 3 // which button it was cannot be said
	}
	switch m.MouseEncoding {
	case MouseURXVT:
		return append(appendNumbers([]byte("\x1b["), code+32, x, y), 'M')
	case MouseUTF8:
		return []byte("\x1b[M" + string([]rune{rune(code + 32), rune(x + 32), rune(y + 32)}))
	}
	if code+32 > 255 || x+32 > 255 || y+32 > 255 {
		return nil
	}
	return []byte{0x1b, '[', 'M', byte(code + 32), byte(x + 32), byte(y + 32)}
}

// wheelLines is how far the wheel turns a program without mouse.
const wheelLines = 3

func (m Modes) wheelKeys(e Mouse) []byte {
	if !m.AltScreen || !m.AlternateScroll || e.Action != MousePressed {
		return nil
	}
	arrow := map[Button]string{WheelUp: "A", WheelDown: "B"}[e.Button]
	if arrow == "" {
		return nil
	}
	return []byte(strings.Repeat(choose(m.AppCursor, "\x1bO", "\x1b[")+arrow, wheelLines))
}

// appendNumbers appends numbers with semicolons between them.
func appendNumbers(b []byte, numbers ...int) []byte {
	for i, n := range numbers {
		if i > 0 {
			b = append(b, ';')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return b
}
