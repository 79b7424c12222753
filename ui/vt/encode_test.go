package vt

import (
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	a := Key{Code: 'a', Text: "a"}
	bigA := Key{Code: 'a', Shifted: 'A', Text: "A", Mod: Shift}
	cases := []struct {
		modes string
		key   Key
		want  string
	}{
		{"", a, "a"},
		{"", bigA, "A"},
		{"", Key{Code: 'é', Text: "é"}, "é"},
		{"", Key{Text: "漢字"}, "漢字"},
		{"", Key{Code: 'a', Mod: Ctrl}, "\x01"},
		{"", Key{Code: 'a', Mod: Alt}, "\x1ba"},
		{"", Key{Code: 'a', Mod: Ctrl | Alt}, "\x1b\x01"},
		{"", Key{Code: KeySpace, Mod: Ctrl}, "\x00"},
		{"", Key{Code: '/', Mod: Ctrl}, "\x1f"},
		{"", Key{Code: 'a', Event: KeyRelease}, ""},
		{"", Key{Code: KeyEnter}, "\r"},
		{"", Key{Code: KeyEnter, Mod: Alt}, "\x1b\r"},
		{"", Key{Code: KeyTab, Mod: Shift}, "\x1b[Z"},
		{"", Key{Code: KeyBackspace}, "\x7f"},
		{"", Key{Code: KeyEscape}, "\x1b"},
		{"", Key{Code: KeyUp}, "\x1b[A"},
		{"\x1b[?1h", Key{Code: KeyUp}, "\x1bOA"},
		{"\x1b[?1h", Key{Code: KeyUp, Mod: Ctrl}, "\x1b[1;5A"},
		{"\x1b[?1h", Key{Code: KeyDelete}, "\x1b[3~"},
		{"", Key{Code: KeyDelete, Mod: Shift}, "\x1b[3;2~"},
		{"", Key{Code: KeyF1}, "\x1bOP"},
		{"", Key{Code: KeyF3, Mod: Alt}, "\x1b[1;3R"},
		{"", Key{Code: KeyF12}, "\x1b[24~"},
		{"", Key{Code: KeyPause}, ""},
		{"", Key{Code: KeyKP5, Text: "5"}, "5"},
		{"\x1b=", Key{Code: KeyKP5, Text: "5"}, "\x1bOu"},
		{"\x1b=", Key{Code: KeyKPEnter}, "\x1bOM"},
		{"\x1b[>4;1m", Key{Code: KeyEnter, Mod: Shift}, "\x1b[27;2;13~"},
		{"\x1b[>4;1m", Key{Code: 'a', Mod: Ctrl}, "\x01"},
		{"\x1b[>4;2m", Key{Code: 'a', Mod: Ctrl}, "\x1b[27;5;97~"},
		{"\x1b[>4;2m", bigA, "A"},
		{"\x1b[>1u", a, "a"},
		{"\x1b[>1u", bigA, "A"},
		{"\x1b[>1u", Key{Code: 'a', Mod: Ctrl}, "\x1b[97;5u"},
		{"\x1b[>1u", Key{Code: KeyEscape}, "\x1b[27u"},
		{"\x1b[>1u", Key{Code: KeyEnter}, "\r"},
		{"\x1b[>1u", Key{Code: KeyEnter, Mod: Shift}, "\x1b[13;2u"},
		{"\x1b[>1u", Key{Code: KeyUp}, "\x1b[A"},
		{"\x1b[>1u", Key{Code: KeyUp, Mod: Shift}, "\x1b[1;2A"},
		{"\x1b[>1u", Key{Code: KeyF3}, "\x1b[13~"},
		{"\x1b[>1u", Key{Code: KeyF13}, "\x1b[57376u"},
		{"\x1b[>1u", Key{Code: KeyKP5, Text: "5"}, "\x1b[57404u"},
		{"\x1b[>1u", Key{Code: 'a', Event: KeyRelease}, ""},
		{"\x1b[>3u", Key{Code: 'a', Event: KeyRelease}, "\x1b[97;1:3u"},
		{"\x1b[>3u", Key{Code: KeyEnter, Event: KeyRelease}, ""},
		{"\x1b[>3u", Key{Code: KeyUp, Event: KeyRepeat}, "\x1b[1;1:2A"},
		{"\x1b[>9u", a, "\x1b[97u"},
		{"\x1b[>9u", Key{Code: KeyEnter}, "\x1b[13u"},
		{"\x1b[>13u", bigA, "\x1b[97:65;2u"},
		{"\x1b[>13u", Key{Code: 'ф', Base: 'a', Mod: Ctrl}, "\x1b[1092::97;5u"},
		{"\x1b[>25u", bigA, "\x1b[97;2;65u"},
		{"\x1b[>25u", a, "\x1b[97;;97u"},
		{"\x1b[>1u\x1b[<u", Key{Code: KeyEscape}, "\x1b"},
		{"\x1b[>1u\x1b[?1049h", Key{Code: KeyEscape}, "\x1b"},
	}
	for _, c := range cases {
		if got := string(written(c.modes).EncodeKey(c.key)); got != c.want {
			t.Errorf("after %q, %+v is %q, want %q", c.modes, c.key, got, c.want)
		}
	}
}

func TestEveryKeyIsSomethingInTheKittyProtocol(t *testing.T) {
	t.Parallel()
	v := written("\x1b[>1u")
	seen := map[string]rune{}
	for code := KeyUp; code < keyEnd; code++ {
		b := string(v.EncodeKey(Key{Code: code}))
		if b == "" || seen[b] != 0 {
			t.Errorf("key %x is %q, as is %x", code, b, seen[b])
		}
		seen[b] = code
	}
}

func TestMouse(t *testing.T) {
	t.Parallel()
	press := Mouse{X: 2, Y: 1, Button: LeftButton}
	release := Mouse{X: 2, Y: 1, Button: LeftButton, Action: MouseReleased}
	drag := Mouse{X: 2, Y: 1, Button: LeftButton, Action: MouseMoved}
	move := Mouse{X: 2, Y: 1, Action: MouseMoved}
	wheel := Mouse{X: 2, Y: 1, Button: WheelDown}
	cases := []struct {
		modes string
		mouse Mouse
		want  string
	}{
		{"", press, ""},
		{"\x1b[?9h", press, "\x1b[M #\""},
		{"\x1b[?9h", release, ""},
		{"\x1b[?9h", wheel, ""},
		{"\x1b[?1000h", press, "\x1b[M #\""},
		{"\x1b[?1000h", release, "\x1b[M##\""},
		{"\x1b[?1000h", drag, ""},
		{"\x1b[?1000h\x1b[?1006h", press, "\x1b[<0;3;2M"},
		{"\x1b[?1000h\x1b[?1006h", release, "\x1b[<0;3;2m"},
		{"\x1b[?1000h\x1b[?1006h", wheel, "\x1b[<65;3;2M"},
		{"\x1b[?1000h\x1b[?1006h", Mouse{X: 99, Y: -1, Button: RightButton, Mod: Ctrl}, "\x1b[<18;10;1M"},
		{"\x1b[?1002h\x1b[?1006h", drag, "\x1b[<32;3;2M"},
		{"\x1b[?1002h\x1b[?1006h", move, ""},
		{"\x1b[?1003h\x1b[?1006h", move, "\x1b[<35;3;2M"},
		{"\x1b[?1000h\x1b[?1015h", press, "\x1b[32;3;2M"},
		{"\x1b[?1000h\x1b[?1005h", press, "\x1b[M #\""},
		{"\x1b[?1000h\x1b[?1000l", press, ""},
		{"\x1b[?1049h", wheel, "\x1b[B\x1b[B\x1b[B"},
		{"\x1b[?1049h\x1b[?1h", wheel, "\x1bOB\x1bOB\x1bOB"},
		{"\x1b[?1049h\x1b[?1007l", wheel, ""},
		{"", wheel, ""},
	}
	for _, c := range cases {
		if got := string(written(c.modes).EncodeMouse(c.mouse)); got != c.want {
			t.Errorf("after %q, %+v is %q, want %q", c.modes, c.mouse, got, c.want)
		}
	}
	wide := New(300, 4, 0)
	wide.Write([]byte("\x1b[?1000h"))
	if got := wide.EncodeMouse(Mouse{X: 250, Button: LeftButton}); got != nil {
		t.Errorf("a column beyond what a byte says is %q", got)
	}
}

func TestPasteCannotType(t *testing.T) {
	t.Parallel()
	text := "one\ntwo\r\n\tthree\x1b[201~rm\x03\u009b"
	if got, want := string(written("").EncodePaste(text)), "one\rtwo\r\tthree[201~rm"; got != want {
		t.Errorf("plain: %q, want %q", got, want)
	}
	if got, want := string(written("\x1b[?2004h").EncodePaste(text)),
		"\x1b[200~one\rtwo\r\tthree[201~rm\x1b[201~"; got != want {
		t.Errorf("bracketed: %q, want %q", got, want)
	}
}

func TestFocusIsReportedWhenAsked(t *testing.T) {
	t.Parallel()
	if got := written("").EncodeFocus(true); got != nil {
		t.Errorf("unasked: %q", got)
	}
	v := written("\x1b[?1004h")
	if got := string(v.EncodeFocus(true)) + string(v.EncodeFocus(false)); got != "\x1b[I\x1b[O" {
		t.Errorf("asked: %q", got)
	}
}

// FuzzEncode: whatever modes a program set, what the human does is a short
// sequence, and what is pasted cannot leave its brackets.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("\x1b[>31u\x1b[?1003;1006h"), 'a', "a", uint8(5), uint8(1), int16(3), int16(-3))
	f.Add([]byte("\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h"), KeyUp, "\x1b[201~", uint8(255), uint8(2), int16(999), int16(0))
	f.Fuzz(func(t *testing.T, modes []byte, code rune, text string, mod, which uint8, x, y int16) {
		v := New(80, 24, 0)
		v.Write(modes)
		k := Key{Code: code, Text: text, Mod: Mod(mod), Shifted: rune(x), Base: rune(y), Event: KeyEvent(which % 3)}
		if b := v.EncodeKey(k); len(b) > 64+12*len(text) {
			t.Errorf("%+v is %q", k, b)
		}
		m := Mouse{X: int(x), Y: int(y), Button: Button(which % 12), Action: MouseAction(which % 3), Mod: Mod(mod)}
		if b := v.EncodeMouse(m); len(b) > 32 {
			t.Errorf("%+v is %q", m, b)
		}
		pasted := string(v.EncodePaste(text))
		if v.Modes().BracketedPaste {
			pasted = strings.TrimSuffix(strings.TrimPrefix(pasted, "\x1b[200~"), "\x1b[201~")
		}
		if strings.ContainsAny(pasted, "\x1b\x03\u009b") {
			t.Errorf("%q is pasted as %q", text, pasted)
		}
	})
}
