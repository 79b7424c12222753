package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes one line of text harmless: escape sequences, control and bidi
// characters go, line ends and tabs become blanks, and a cluster that terminals
// do not agree on the width of is reduced to its first rune.
func Clean(text string) string {
	return clean(text, ' ')
}

// CleanLines is [Clean] that keeps line ends.
func CleanLines(text string) string {
	return clean(strings.ReplaceAll(text, "\r\n", "\n"), '\n')
}

func clean(text string, newline rune) string {
	if harmless(text, newline) {
		return text
	}
	var b strings.Builder
	for rest := steady(ansi.Strip(strings.ToValidUTF8(breaks(text, newline), "\uFFFD"))); rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(map[bool]rune{true: newline, false: ' '}[r == '\n'])
		case !hidden(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// breaks turns line ends into newline before escape sequences are looked for,
// so that an unfinished sequence swallows no more than its own line.
func breaks(text string, newline rune) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\u2028' || r == '\u2029' || r == '\x85' })
	text = strings.Join(lines, "\n")
	parts := strings.Split(text, "\n")
	for i, part := range parts {
		parts[i] = ansi.Strip(part)
	}
	return strings.Join(parts, string(newline))
}

// harmless is the quick way for what nearly every text is.
func harmless(text string, newline rune) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && rune(c) != newline {
			return false
		}
	}
	return true
}

// hidden reports runes that move, hide or reorder what stands around them.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return true
	case r == '\u2028', r == '\u2029', r == '\uFEFF', r == '\u00AD', '\u200B' <= r && r <= '\u200D':
		return true
	case 0xE0000 <= r && r <= 0xE0FFF, 0xFFF9 <= r && r <= 0xFFFB: // tags, variation selectors, annotations
		return true
	}
	return unicode.Is(unicode.Co, r) || unicode.Is(unicode.Cs, r)
}

// steady reduces each cluster whose width depends on how a terminal counts.
func steady(text string) string {
	if ansi.StringWidth(text) == ansi.StringWidthWc(text) && !strings.ContainsRune(text, '\u200D') {
		return text
	}
	var b strings.Builder
	for text != "" {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if _, wide := ansi.FirstGraphemeCluster(text, ansi.WcWidth); width != wide || ansi.StringWidthWc(cluster) != width {
			r, _ := utf8.DecodeRuneInString(cluster)
			b.WriteRune(r)
		} else {
			b.WriteString(cluster)
		}
		text = text[len(cluster):]
	}
	return b.String()
}

// width is how many cells text takes.
func width(text string) int { return ansi.StringWidth(text) }

// cut shortens text to at most w cells.
func cut(text string, w int) string {
	if width(text) <= w {
		return text
	}
	if w <= 1 {
		return strings.Repeat("…", max(w, 0))
	}
	return ansi.Truncate(text, w, "…")
}

// fit makes text exactly w cells wide.
func fit(text string, w int) string {
	text = cut(text, w)
	return text + blanks(w-width(text))
}

const space = "                                                                                                                                "

// blanks is n blanks.
func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(space) {
		return space[:n]
	}
	return strings.Repeat(" ", n)
}

// wrap breaks text into lines of at most w cells.
func wrap(text string, w int) []string {
	if w < 1 {
		return nil
	}
	return strings.Split(ansi.Wrap(text, w, ""), "\n")
}
