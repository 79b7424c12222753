package style

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/text"
)

// Charset says which characters the terminal can draw.
type Charset uint8

// The sets. What a set does not have gets a stand-in of the same width, whether the
// screen draws it or an agent in its pane.
const (
	EveryGlyph    Charset = iota
	ConsoleGlyphs         // letters, and the frames and marks that the fonts of the Linux console have
	ASCIIGlyphs
)

// glyphsOf returns what the terminal of an environment can draw. A locale that names
// another character set than UTF-8 has ASCII only; where none is named at all,
// terminals of today take UTF-8.
func glyphsOf(environ func(string) string) Charset {
	var locale string
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = environ(name); locale != "" {
			break
		}
	}
	charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
	switch {
	case locale != "" && !strings.Contains(charset, "utf8"):
		return ASCIIGlyphs
	case environ("TERM") == "linux":
		return ConsoleGlyphs
	}
	return EveryGlyph
}

// console holds the marks of code page 437, which every font of the console has.
const console = "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼⌂░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀≡±≥≤⌠⌡÷≈°∙·√²■"

// standIns says what is drawn instead: on the console the second column, where its
// font has that, else the third. They are made when they are first asked for: most screens have every glyph.
var standIns = sync.OnceValue(func() map[rune][2]rune { return table(standInRows) })

// standInRows are the rows of standIns.
var standInRows = [][3]string{
	{"╭┏┍┎", "┌", "+"}, {"╮┓┑┒", "┐", "+"}, {"╰┗┕┖", "└", "+"}, {"╯┛┙┚", "┘", "+"},
	{"┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╒╓╕╖╘╙╛╜╞╟╡╢╤╥╧╨╪╫", "", "+"},
	{"━┄┅┈┉╌╍╴╶╸╺╼╾―—–‒⎯", "─", "-"}, {"─═‐‑−", "", "-"},
	{"┃┆┇┊┋╎╏╵╷╹╻╽╿▏▎▍▕❘⎸⎹", "│", "|"}, {"│║¦", "", "|"},
	{"┣┝┞┟┠┡┢", "├", "+"}, {"┫┥┦┧┨┩┪", "┤", "+"}, {"┳┭┮┯┰┱┲", "┬", "+"}, {"┻┵┶┷┸┹┺", "┴", "+"},
	{"╋┽┾┿╀╁╂╃╄╅╆╇╈╉╊", "┼", "+"},
	{"⎿⎣", "└", "`"}, {"╱⁄∕", "", "/"}, {"╲∖", "", `\`}, {"╳✕✖✗✘×☒⊗", "", "x"},
	{"●⏺⬤◉", "•", "*"}, {"•◘◙∙·⋅", "", "*"}, {"◯◌◎◦○☉", "○", "o"}, {"◐◑◒◓◔◕⧗⟳↻↺", "○", "o"},
	{"■▪◼◆◈", "■", "#"}, {"□▫◻◇☐", "", "o"}, {"☑✓✔", "√", "v"}, {"√", "", "v"},
	{"█▓▒▉▊▋▇▆▅", "█", "#"}, {"░", "", ":"}, {"▄▃▂▁", "▄", "_"}, {"▀▔", "▀", "-"}, {"▌", "", "|"}, {"▐", "", "|"},
	{"▸▶►❯›»➤▹▷➜➔⇒", "►", ">"}, {"◂◀◄❮‹«◃◁⇐", "◄", "<"}, {"▾▼⌄˅", "▼", "v"}, {"▴▲⌃", "▲", "^"},
	{"→⟶", "→", ">"}, {"←⟵⏎↵↩", "←", "<"}, {"↑⇧", "↑", "^"}, {"↓⇩", "↓", "v"}, {"↳", "└", "`"},
	{"✻✽✶✳✱✢✦✧★☆✷✸✹✺❋∗⚑✎", "*", "*"}, {"⚠", "‼", "!"}, {"‼", "", "!"},
	{"…", "~", "~"}, {"‘’‚‛′", "'", "'"}, {"“”„″", `"`, `"`}, {"≈", "", "~"}, {"≤", "", "<"}, {"≥", "", ">"},
	{"≠", "=", "="}, {"÷", "", "/"}, {"\u00a0\u2002\u2003\u2007\u2009\u202f", " ", " "},
}

// table returns the rows of standIns by character.
func table(rows [][3]string) map[rune][2]rune {
	all := map[rune][2]rune{}
	for _, row := range rows {
		marked, _ := utf8.DecodeRuneInString(row[1])
		plain, _ := utf8.DecodeRuneInString(row[2])
		for _, r := range row[0] {
			if row[1] == "" {
				all[r] = [2]rune{plain, plain}
			} else {
				all[r] = [2]rune{marked, plain}
			}
		}
	}
	return all
}

// Render replaces what the set does not have in a frame by stand-ins. Escape sequences
// stay as they are; combining characters go with the character that they belong to.
func (g Charset) Render(frame string) string {
	if g == EveryGlyph {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	for frame != "" {
		plain := strings.IndexFunc(frame, func(r rune) bool { return r >= utf8.RuneSelf })
		if plain < 0 {
			plain = len(frame)
		}
		b.WriteString(frame[:plain])
		cluster, cells := ansi.FirstGraphemeCluster(frame[plain:], ansi.GraphemeWidth)
		b.WriteString(g.standIn(cluster, cells))
		frame = frame[plain+len(cluster):]
	}
	return b.String()
}

// Has reports whether the set has a character, one cell wide.
func (g Charset) Has(r rune) bool {
	if r < utf8.RuneSelf || g == ASCIIGlyphs {
		return r < utf8.RuneSelf
	}
	return strings.ContainsRune(console, r) || unicode.In(r, unicode.L, unicode.Nd) && text.Width(string(r)) == 1
}

// standIn returns what is drawn for one grapheme cluster of a width.
func (g Charset) standIn(cluster string, cells int) string {
	r, _ := utf8.DecodeRuneInString(cluster)
	pair, known := standIns()[r]
	switch {
	case cells == 1 && g.Has(r):
		return string(r)
	case cells == 1 && known:
		return string(pair[g-1])
	case 0x2800 <= r && r <= 0x28FF: // braille: spinners and graphs
		return "*"
	}
	return strings.Repeat("?", cells)
}
