package vt

import (
	"encoding/base64"
	"strconv"
	"strings"

	"ferrus/ui/text"
)

const maxTitle = 256 // cells

// endString carries out a string that ended with end.
func (t *Terminal) endString(end string) {
	k := &t.parse
	if k.cut {
		return
	}
	switch k.kind {
	case ']':
		command, value, _ := strings.Cut(string(k.text), ";")
		t.command(command, value, end)
	case 'P':
		if what, ok := strings.CutPrefix(string(k.text), "$q"); ok {
			t.answerSetting(what)
		}
	case 'k': // the title, as screen has it
		t.reported.title = bounded(string(k.text))
	}
}

// command carries out an operating system command.
func (t *Terminal) command(command, value, end string) {
	switch command {
	case "0", "2":
		t.reported.title = bounded(value)
	case "4":
		t.queryPalette(value, end)
	case "7":
		t.reported.directory = bounded(value)
	case "8":
		_, target, _ := strings.Cut(value, ";")
		t.setLink(target)
	case "10", "11", "12":
		t.queryColors(command, value, end)
	case "52":
		t.setClipboard(value)
	case "133":
		t.rows[t.y].prompt = t.rows[t.y].prompt || strings.HasPrefix(value, "A")
	}
}

// bounded returns a title or a path of the program, fit to be shown outside the grid.
func bounded(s string) string { return text.Cut(text.Sanitize(s), maxTitle) }

// setLink makes what follows a hyperlink; no target ends it.
func (w *writer) setLink(target string) {
	s := w.pen.style
	s.Link = 0
	if target != "" && printable(target) {
		s.Link = w.tables.linkNumber(target)
	}
	w.setStyle(s)
}

// printable reports whether s is only printable ASCII, as a URL must be.
func printable(s string) bool { return asciiLength([]byte(s)) == len(s) }

// queryPalette answers 4;n;?. Changes of the palette are ignored.
func (t *Terminal) queryPalette(value, end string) {
	fields := strings.Split(value, ";")
	for i := 0; i+1 < len(fields); i += 2 {
		n, err := strconv.ParseUint(fields[i], 10, 8)
		if err == nil && fields[i+1] == "?" {
			t.reported.answerColor("4;"+strconv.Itoa(int(n)), PaletteRGB(uint8(n)), end)
		}
	}
}

// queryColors answers 10;?, 11;? and 12;?; further values count up from there.
func (t *Terminal) queryColors(command, value, end string) {
	first, _ := strconv.Atoi(command)
	for i, v := range strings.Split(value, ";") {
		n := first + i
		if n > 12 {
			return
		}
		if v == "?" {
			colors := [...]Color{t.Colors.Foreground, t.Colors.Background, t.Colors.Cursor}
			t.reported.answerColor(strconv.Itoa(n), colors[n-10], end)
		}
	}
}

// setClipboard keeps what the program wants on the clipboard. A query gets no
// answer: the clipboard is not the program's to read.
func (t *Terminal) setClipboard(value string) {
	_, data, ok := strings.Cut(value, ";")
	if !ok || data == "?" {
		return
	}
	if text, err := base64.StdEncoding.DecodeString(data); err == nil {
		t.reported.clipboard = string(text)
		t.reported.offers++
	}
}

// PaletteRGB returns the usual value of a palette colour.
func PaletteRGB(i uint8) Color {
	switch {
	case i < 16:
		return basicColors[i]
	case i >= 232:
		grey := 8 + 10*(i-232)
		return RGB(grey, grey, grey)
	}
	i -= 16
	level := func(v uint8) uint8 {
		if v == 0 {
			return 0
		}
		return 55 + 40*v
	}
	return RGB(level(i/36), level(i/6%6), level(i%6))
}

var basicColors = [16]Color{
	RGB(0x3b, 0x42, 0x52), RGB(0xe0, 0x6c, 0x75), RGB(0x98, 0xc3, 0x79), RGB(0xe5, 0xc0, 0x7b),
	RGB(0x61, 0xaf, 0xef), RGB(0xc6, 0x78, 0xdd), RGB(0x56, 0xb6, 0xc2), RGB(0xc8, 0xcc, 0xd4),
	RGB(0x5c, 0x63, 0x70), RGB(0xf0, 0x83, 0x8c), RGB(0xb1, 0xdb, 0x92), RGB(0xf2, 0xd3, 0x96),
	RGB(0x7f, 0xc1, 0xf8), RGB(0xd7, 0x92, 0xea), RGB(0x74, 0xcf, 0xd9), RGB(0xf4, 0xf6, 0xfa),
}
