package text

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Nearly all text on a screen is ASCII, borders and colours, so its cells can be counted character by
// character: twenty times as fast as splitting it into grapheme clusters. Text with anything else in
// it is left to the library. Both show the same cells.

// advance returns how many bytes at the start of line take w cells, including the colours that follow
// them, and how many cells that is: fewer if the line is shorter. ok is false if a character that is
// not simple stands among them or follows, since it could join the last one.
func advance(line string, w int) (n, cells int, ok bool) {
	for n < len(line) {
		size := 1
		if c := line[n]; c < ' ' || c > '~' {
			if size = colour(line[n:]); size > 0 {
				n += size
				continue
			}
			if size = simple(line[n:]); size == 0 {
				return n, cells, false
			}
		}
		if cells >= w {
			break
		}
		n += size
		cells++
	}
	return n, cells, true
}

// simple returns how many bytes the first character of line has if it takes one cell and never
// joins another simple character, and 0 otherwise.
func simple(line string) int {
	if c := line[0]; c < utf8.RuneSelf {
		if c >= ' ' && c != 0x7f {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(line)
	switch {
	case r == '·',
		r >= 'À' && r <= 'ſ',      // Latin letters
		r >= '‐' && r <= '‧',      // dashes, quotation marks, bullets, ellipsis
		r >= '←' && r <= '↓',      // arrows that are never emoji
		r >= '─' && r <= '\u25a9', // borders, blocks
		r >= '◆' && r <= '●':      // marks
		return size
	}
	return 0
}

// colour returns the length in bytes of the sequence at the start of line if it sets colours or other
// attributes of text, and 0 otherwise.
func colour(line string) int {
	if len(line) < 3 || line[0] != '\x1b' || line[1] != '[' {
		return 0
	}
	for i := 2; i < len(line); i++ {
		switch c := line[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// Prefix returns the first w cells of a line, without the half of a wide character.
func Prefix(line string, w int) string {
	if w < 0 {
		return ""
	}
	if n, _, ok := advance(line, w); ok {
		return line[:n]
	}
	return ansi.Truncate(line, w, "")
}

// Suffix returns a line without its first w cells, in the colours that it has there.
func Suffix(line string, w int) string {
	n, _, ok := advance(line, w)
	if w <= 0 || !ok {
		return ansi.TruncateLeft(line, w, "")
	}
	var colours []byte
	for i := 0; i < n; {
		if size := colour(line[i:]); size > 0 {
			colours = append(colours, line[i:i+size]...)
			i += size
		} else {
			i += simple(line[i:])
		}
	}
	return string(colours) + line[n:]
}
