package text

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// ellipsis stands where text was cut off; it is one cell wide.
const ellipsis = "…"

// Width returns how many cells text takes. Escape sequences, such as colours, take none.
func Width(text string) int {
	if _, cells, ok := advance(text, math.MaxInt); ok {
		return cells
	}
	return ansi.StringWidth(text)
}

// Cut shortens text to at most w cells, with an ellipsis in the last of them.
// Colours stay whole.
func Cut(text string, w int) string {
	if Width(text) <= w {
		return text
	}
	if w <= 1 {
		return strings.Repeat(ellipsis, max(w, 0))
	}
	if n, _, ok := advance(text, w-1); ok && strings.IndexByte(text[n:], '\x1b') < 0 {
		return text[:n] + ellipsis
	}
	return ansi.Truncate(text, w, ellipsis)
}

// CutBytes shortens text to at most n bytes, between characters and without a mark.
func CutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:max(n, 0)]
}

// Fit makes text exactly w cells wide: cut, or filled up with blanks.
func Fit(text string, w int) string {
	text = Cut(text, w)
	return text + Blanks(w-Width(text))
}

// blanks is long enough for nearly every row of a screen; a slice of it costs nothing.
var blanks = strings.Repeat(" ", 128)

// Blanks returns n blanks, and none where n is negative.
func Blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Wrap breaks text into lines of at most w cells, at blanks where there are any.
// A line always takes at least one character, so that text ends.
func Wrap(text string, w int) (lines []string) {
	if w < 1 {
		return nil
	}
	for _, line := range strings.Split(text, "\n") {
		head := Fold(line, w)
		for lines = append(lines, head); len(head) < len(line); lines = append(lines, head) {
			line = strings.TrimLeft(line[len(head):], " ")
			head = Fold(line, w)
		}
	}
	return lines
}

// Fold returns the beginning of a line that [Wrap] puts on a line of w cells. It
// reads only the bytes that this takes, so wrapping a very long line takes linear
// time.
func Fold(line string, w int) string {
	head := Head(line, w)
	if head == "" { // not even one character fits
		_, n := utf8.DecodeRuneInString(line)
		return line[:n]
	}
	if len(head) == len(line) {
		return head
	}
	if i := strings.LastIndexByte(head, ' '); line[len(head)] != ' ' && i > 0 && strings.TrimSpace(head[:i]) != "" {
		return head[:i]
	}
	return head
}

// Head returns the beginning of a line that takes at most w cells. It reads only the bytes that
// this takes.
func Head(line string, w int) string {
	if w < 1 {
		return ""
	}
	return Prefix(CutBytes(line, 32*w), w)
}
