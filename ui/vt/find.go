package vt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a piece of text: its first and its last cell.
type Span struct{ From, To Place }

// Find returns where a text is, the newest limit of the places, oldest first.
// What was wrapped is searched as one line. Small letters also find capitals.
func (t *Terminal) Find(text string, limit int) []Span {
	if text == "" || !utf8.ValidString(text) {
		return nil
	}
	f := finder{terminal: t, text: text, fold: text == lower(text)}
	oldest, screen := t.Lines()
	for end := screen + t.height; end > oldest && len(f.found) < limit; {
		end = f.paragraph(oldest, end)
	}
	f.found = f.found[:min(len(f.found), limit)]
	slices.Reverse(f.found)
	return f.found
}

// finder is a search on its way up.
type finder struct {
	terminal *Terminal
	text     string
	fold     bool
	found    []Span // newest first
}

// paragraph searches the lines that end before a number and are one text, and
// returns the number of the first of them.
func (f *finder) paragraph(oldest, end int) (first int) {
	text, _ := f.terminal.plain(end - 1)
	lines := []string{text}
	for first = end - 1; first > oldest; first-- {
		above, goesOn := f.terminal.plain(first - 1)
		if !goesOn {
			break
		}
		lines = append(lines, above)
	}
	slices.Reverse(lines)
	all := strings.Join(lines, "")
	if f.fold {
		all = lower(all)
	}
	var found []Span
	for at := 0; ; {
		i := strings.Index(all[at:], f.text)
		if i < 0 {
			break
		}
		at += i + len(f.text)
		found = append(found, Span{f.place(first, lines, at-len(f.text)), f.place(first, lines, at-1)})
	}
	slices.Reverse(found)
	f.found = append(f.found, found...)
	return first
}

// place returns the cell that shows the byte at an offset of some lines' text.
func (f *finder) place(first int, lines []string, offset int) Place {
	n := 0
	for n < len(lines)-1 && offset >= len(lines[n]) {
		offset -= len(lines[n])
		n++
	}
	cells, _ := f.terminal.Cells(first + n)
	for x, c := range cells {
		if offset -= len(c); offset < 0 {
			return Place{first + n, x}
		}
	}
	return Place{first + n, max(len(cells)-1, 0)}
}

// lower makes letters small that are as long when they are.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}
