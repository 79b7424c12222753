// Package text makes text fit for a terminal: harmless, and of a given width.
//
// Whatever an agent prints, names or writes is hostile until it went through this
// package. [Sanitize] makes one line and [SanitizeLines] several, both fit for a
// grid of cells. They are the only definition of harmless in the program.
//
// Width is counted in cells, in one way: [Width] measures, [Cut] and [Fit]
// shorten, [Wrap] breaks lines. Text that was sanitized is as wide in every
// terminal as Width says.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sanitize returns text as one harmless line. It treats
//
//   - escape sequences: removed, because they order the terminal about. One that
//     never ends swallows no more than its own line;
//   - line ends (also U+0085, U+2028 and U+2029, where some terminals and all
//     editors break a line) and tabs: a blank, because a row of cells has neither;
//   - other control characters, and format characters such as bidi controls,
//     zero-width blanks and tags: removed, because they hide text, or show it in
//     another order than it is read;
//   - private use characters: removed, because each font draws them as it likes;
//   - bytes that are no UTF-8: one U+FFFD for each run of them, so that it shows
//     that something was there; a U+FFFD in text stays for the same reason;
//   - clusters that terminals give different widths: reduced to their first rune,
//     because a row that is a cell too wide breaks the whole screen.
//
// Sanitize of its own result changes nothing.
func Sanitize(text string) string {
	return sanitize(text, ' ')
}

// SanitizeLines is [Sanitize] for several lines: line ends stay, each as one \n.
func SanitizeLines(text string) string {
	return sanitize(text, '\n')
}

func sanitize(text string, newline rune) string {
	if harmless(text, newline) {
		return text
	}
	var b strings.Builder
	for i, line := range splitLines(strings.ToValidUTF8(text, "\uFFFD")) {
		if i > 0 {
			b.WriteRune(newline)
		}
		b.WriteString(stabilize(visible(line)))
	}
	return b.String()
}

// harmless is the fast path: it reports printable ASCII, which nearly every text is.
func harmless(text string, newline rune) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && rune(c) != newline {
			return false
		}
	}
	return true
}

// splitLines divides text at its line ends and strips the escape sequences of
// each line by itself, so that an unfinished one ends with its line.
func splitLines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	return lines
}

// visible returns a line without its hidden runes. Joined clusters are looked at
// first, because a joiner is hidden itself.
func visible(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, unjoin(line))
}

// unjoin reduces each joined cluster to its first part: half a family is no family.
func unjoin(line string) string {
	if !strings.ContainsRune(line, '\u200D') {
		return line
	}
	var b strings.Builder
	for line != "" {
		cluster, _ := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line = line[len(cluster):]
		first, _, _ := strings.Cut(cluster, "\u200D")
		b.WriteString(first)
	}
	return b.String()
}

// hidden reports runes that move, hide or reorder the text around them.
func hidden(r rune) bool {
	switch {
	case r == '\u2028', r == '\u2029', 0xE0000 <= r && r <= 0xE0FFF: // separators, tags
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// stabilize reduces each cluster whose width depends on how a terminal counts to
// its first rune, and drops one that would draw its neighbour into itself.
func stabilize(text string) string {
	var b strings.Builder
	for text != "" {
		cluster, wide := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		if ansi.StringWidthWc(cluster) != wide {
			r, _ := utf8.DecodeRuneInString(cluster)
			cluster = string(r)
		}
		if n := Width(cluster); n == ansi.StringWidthWc(cluster) && Width(cluster+" ") == n+1 {
			b.WriteString(cluster)
		}
	}
	return b.String()
}
