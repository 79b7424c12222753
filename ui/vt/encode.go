package vt

import (
	"strconv"
	"strings"
)

// EncodePaste is pasted text as the program wants it. Line ends become what
// Enter sends, and control characters are dropped, so that text cannot end a
// bracketed paste and begin to type.
func (t *Terminal) EncodePaste(text string) []byte {
	text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
	if t.modes.BracketedPaste {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	return []byte(text)
}

// EncodeFocus tells the program that it got or lost the focus, if it asked.
func (t *Terminal) EncodeFocus(focused bool) []byte {
	if !t.modes.FocusEvents {
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

// EncodeMouse is a mouse event as the program wants it, nil when it does not
// want it. On the alternate screen the wheel is arrows for a program that does
// not know the mouse.
func (t *Terminal) EncodeMouse(m Mouse) []byte {
	if t.modes.Mouse == MouseOff {
		return t.wheelKeys(m)
	}
	if !t.wants(m) {
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
	return t.mouseReport(code, clamp(m.X, 0, t.columns-1)+1, clamp(m.Y, 0, t.height-1)+1, m.Action == MouseReleased)
}

// wants reports whether the program asked for such events.
func (t *Terminal) wants(m Mouse) bool {
	switch m.Action {
	case MouseMoved:
		return t.modes.Mouse == MouseMotion || t.modes.Mouse == MouseDrag && m.Button != NoButton
	case MouseReleased:
		return t.modes.Mouse > MousePress && !m.Button.wheel()
	}
	return m.Button != NoButton && (t.modes.Mouse > MousePress || m.Button <= RightButton)
}

// mouseReport writes a report in the encoding the program chose; nil when it
// cannot say it.
func (t *Terminal) mouseReport(code, x, y int, released bool) []byte {
	if t.modes.MouseEncoding == MouseSGR {
		end := choose[byte](released, 'm', 'M')
		return append(appendNumbers([]byte("\x1b[<"), code, x, y), end)
	}
	if released {
		code = code&^3 | 3 // which button it was cannot be said
	}
	switch t.modes.MouseEncoding {
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

func (t *Terminal) wheelKeys(m Mouse) []byte {
	if !t.modes.AltScreen || !t.modes.AlternateScroll || m.Action != MousePressed {
		return nil
	}
	arrow := map[Button]string{WheelUp: "A", WheelDown: "B"}[m.Button]
	if arrow == "" {
		return nil
	}
	return []byte(strings.Repeat(choose(t.modes.AppCursor, "\x1bO", "\x1b[")+arrow, wheelLines))
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
