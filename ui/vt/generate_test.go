package vt

import (
	"fmt"
	"math/rand"
	"strings"
)

// generator makes streams that are valid to different degrees.
type generator struct {
	rand          *rand.Rand
	columns, rows int
	alternate     bool
}

func (g *generator) pick(choices ...string) string { return choices[g.rand.Intn(len(choices))] }

// polite returns what a well-behaved program may print. Terminals differ in what is
// left where a wide character is cut in half, so a wide stream has none of what would.
func (g *generator) polite(parts int, wide bool) []byte {
	var b strings.Builder
	for range parts {
		b.WriteString(g.politePart(wide))
	}
	return []byte(b.String())
}

func (g *generator) politePart(wide bool) string {
	if wide {
		return g.widePart()
	}
	switch g.rand.Intn(12) {
	case 0, 1, 2:
		return g.words() + g.style() + g.words() + g.pick(g.address(), "\r", "\r\n", "")
	case 3:
		return g.pick("\r\n", "\r", "\n", "x\b", "\t", "\x1bM", "\x1bD", "\x1bE")
	case 4:
		return g.address()
	case 5:
		return fmt.Sprintf("\x1b[%d%s", g.rand.Intn(6), g.pick("A", "B", "C", "D", "G", "d", "E", "F"))
	case 6: // outside the region tmux scrolls all the same, xterm does nothing
		return "\x1b[r" + g.address() + fmt.Sprintf("\x1b[%d%s", g.rand.Intn(4), g.pick("L", "M"))
	case 7:
		// tmux forgets to erase where it inserts up to the end
		return g.pick("\x1b[@", fmt.Sprintf("\x1b[%d%s", g.rand.Intn(4), g.pick("P", "X", "S", "T")))
	case 8:
		return fmt.Sprintf("\x1b[%d%s", g.rand.Intn(3), g.pick("J", "K"))
	case 9, 10:
		return g.style()
	}
	return g.setting()
}

// widePart returns a part of a stream with wide characters.
func (g *generator) widePart() string {
	switch g.rand.Intn(8) {
	case 0, 1, 2:
		return g.pick("漢字", "日本語テキスト", "한국어", "🚀", "✅ ok", "e\u0301a", "─│█▒…", "λ→Ж", "fox ") +
			g.pick("漢", "fox") + g.cleanRow()
	case 3:
		return g.pick("\r\n\x1b[K", "\r\x1b[J")
	case 4, 5:
		return g.style()
	case 6:
		return fmt.Sprintf("\x1b[%d%s", g.rand.Intn(3), g.pick("S", "T", "A", "B")) + "\r\x1b[K"
	}
	return g.cleanRow()
}

// cleanRow goes to the beginning of a row and makes it blank.
func (g *generator) cleanRow() string {
	return fmt.Sprintf("\x1b[%dH\x1b[K", 1+g.rand.Intn(g.rows))
}

func (g *generator) address() string {
	return fmt.Sprintf("\x1b[%d;%dH", 1+g.rand.Intn(g.rows), 1+g.rand.Intn(g.columns))
}

func (g *generator) words() string {
	switch g.rand.Intn(5) {
	case 0:
		return g.pick("e\u0301a", "─│█▒…", "λ→Ж")
	case 1:
		return strings.Repeat(g.pick("x", "ab ", "-"), g.rand.Intn(g.columns))
	}
	return g.pick("the quick brown fox", "error:", "ok", " ", "0123456789")
}

func (g *generator) style() string {
	switch g.rand.Intn(5) {
	case 0:
		return "\x1b[m"
	case 1:
		return fmt.Sprintf("\x1b[%d;5;%dm", 38+10*g.rand.Intn(2), g.rand.Intn(256))
	case 2:
		return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", 38+10*g.rand.Intn(2), g.rand.Intn(256), g.rand.Intn(256),
			g.rand.Intn(256))
	case 3:
		return g.pick("\x1b[1m", "\x1b[2m", "\x1b[3m", "\x1b[4m", "\x1b[7m", "\x1b[9m", "\x1b[22;24m",
			"\x1b[27m", "\x1b[23;29m",
			"\x1b[4:3m", "\x1b[4:2m", "\x1b[4:4m", "\x1b[4:0m", "\x1b[5m", "\x1b[25m", "\x1b[53m", "\x1b[55m",
			"\x1b[4;58;2;9;8;7m", "\x1b[4:3;58:2::9:8:7m", "\x1b[59m", "\x1b[38:5:99m", "\x1b[48:2::1:2:3m")
	}
	return fmt.Sprintf("\x1b[%dm", 30+g.rand.Intn(18))
}

func (g *generator) setting() string {
	if g.rand.Intn(8) == 0 {
		g.alternate = !g.alternate
		return choose(g.alternate, "\x1b[?1049h", "\x1b[?1049l")
	}
	top := 1 + g.rand.Intn(g.rows-2)
	return g.pick(
		fmt.Sprintf("\x1b[%d;%dr", top, top+1+g.rand.Intn(g.rows-top))+g.address(), "\x1b[r"+g.address(),
		"\x1b7\x1b[1;31m"+g.address()+"saved\x1b8", "\r\x1b[4hinsert\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[?7h",
		"\x1b[?6horigin\x1b[3;3Hthree\x1b[2A\x1b[?6l", "\x1b(0lqk\x1b(B", "\x1bH")
}

// hostile is anything at all, with a grammar that reaches far.
func (g *generator) hostile(size int) []byte {
	var b []byte
	for len(b) < size {
		b = append(b, g.hostilePart()...)
	}
	return b
}

func (g *generator) hostilePart() string {
	switch g.rand.Intn(8) {
	case 0:
		return string([]byte{byte(g.rand.Intn(256))})
	case 1:
		return g.pick("👩\u200d💻", "\u200d", "\ufe0f", "🇫🇷", "👍🏽", "🏽", "\u0300", "\xff", "\xc3",
			"\xe2\x82", "\u202e", "漢")
	case 2, 3:
		return g.control()
	case 4:
		return fmt.Sprintf("\x1b[?%d%s", g.privateMode(), g.pick("h", "l", "$p"))
	case 5:
		return "\x1b" + g.pick("7", "8", "D", "E", "M", "H", "c", "N", "n", "o", "=", ">", "#8", "(0", ")A", "*B", "\\")
	case 6:
		if g.rand.Intn(4) == 0 {
			return "\x1b]133;A\a"
		}
		return fmt.Sprintf("\x1b%s%d;%s%s", g.pick("]", "P", "_", "^", "X", "k"), g.rand.Intn(140),
			g.pick("?", ";?", "c;aGk=", ";http://x", "title", "$qm", "$qr"),
			g.pick("\a", "\x1b\\", "", "\x18", "\x1bc"))
	}
	return g.politePart(g.rand.Intn(2) == 0)
}

func (g *generator) privateMode() int {
	modes := []int{1, 3, 6, 7, 9, 12, 25, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1047, 1048,
		1049, 2004, 2026}
	return modes[g.rand.Intn(len(modes))]
}

func (g *generator) control() string {
	var b strings.Builder
	b.WriteString("\x1b[" + g.pick("", "", "", "?", ">", "<", "="))
	for range g.rand.Intn(5) {
		b.WriteString(g.pick("", "0", fmt.Sprint(g.rand.Intn(60)), fmt.Sprint(g.rand.Int63()), "4", "38:2::1:2:3") +
			g.pick(";", ";", ":"))
	}
	b.WriteString(g.pick("", "", "", "", " ", "!", "$") +
		string("@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstu"[g.rand.Intn(38)]))
	return b.String()
}
