// Package text makes text safe to show, and fits it to a width.
//
// Whatever an agent prints, names or writes is hostile until this package has
// sanitized it; no other package does:
//
//   - [Sanitize] makes one line and [SanitizeLines] several for a grid of cells;
//   - [Plain] makes a text, and [Output] a line that a program printed, for a file,
//     a report or another agent;
//   - [Escape] makes hidden characters visible, for JSON and for a reviewer.
//
// [CheckEncoding] refuses what you give as a text but is in another encoding.
//
// Width is counted in cells, by one rule: [Width] measures, [Cut] and [Fit]
// shorten, [Wrap] breaks lines. Sanitized text has the width that Width returns in
// every terminal.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tab replaces a tab in a grid of cells, which has none: enough to show how code
// is indented.
const tab = "    "

// Sanitize returns text as one harmless line for a grid of cells. It treats
//
//   - escape sequences: removed, because they order the terminal about. One that
//     never ends takes no more than the rest of its line with it;
//   - line ends (\n, \r\n, \r, and U+0085, U+2028 and U+2029, where some terminals
//     and all editors break a line): a blank, because a row has none;
//   - tabs: four blanks, because a tab has no width;
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
	if harmless(text, ' ') {
		return text
	}
	return cells(strings.Join(splitLines(text), " "))
}

// SanitizeLines is like [Sanitize] for several lines: line ends stay, each as one \n.
func SanitizeLines(text string) string {
	if harmless(text, '\n') {
		return text
	}
	lines := splitLines(text)
	for i, line := range lines {
		lines[i] = cells(line)
	}
	return strings.Join(lines, "\n")
}

// Plain returns text as [SanitizeLines] does, for a reader that is not a grid of
// cells: what says nothing but how wide something is drawn stays. That is tabs,
// private use characters, and whole clusters with their joiners, which some scripts
// are spelled with.
func Plain(text string) string {
	if harmless(text, '\n') {
		return text
	}
	return plain(strings.Join(splitLines(text), "\n"))
}

// Output returns a line that a program printed, as [Plain] does, without what the
// program overwrote after a carriage return. It has no line ends.
func Output(line string) string {
	if harmless(line, '\t') {
		return line
	}
	line = strings.TrimRight(ansi.Strip(strings.ToValidUTF8(line, "\uFFFD")), "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	return plain(strings.Join(splitLines(line), " "))
}

// Escape returns text with its hidden characters as escapes of JSON: of a text so that a
// reader sees that there is something, of JSON so that a terminal neither acts on it nor
// shows it in another order. Line ends and tabs stay.
func Escape(text string) string {
	if harmless(text, '\n') {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, "\\u%04x", unit)
		}
	}
	return b.String()
}

// FirstLine returns the first line of text that has a letter, digit or the like in
// it, sanitized, and with single blanks between its words; empty if there is none.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(Sanitize(line)), " "); line != "" {
			return line
		}
	}
	return ""
}

// harmless is the fast path: it reports printable ASCII, which nearly every text
// is, beside one control character that is allowed.
func harmless(text string, allowed rune) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && rune(c) != allowed {
			return false
		}
	}
	return true
}

// lineEnds are all line ends, written as one.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")

// splitLines divides text at its line ends and strips the escape sequences of
// each line by itself, so that an unfinished one ends with its line.
func splitLines(text string) []string {
	lines := strings.Split(lineEnds.Replace(strings.ToValidUTF8(text, "\uFFFD")), "\n")
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	return lines
}

// plain drops the hidden runes of text, except for line ends, tabs and joiners.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) && !strings.ContainsRune("\n\t\u200C\u200D", r) {
			return -1
		}
		return r
	}, text)
}

// cells makes a line fit for cells. Joined clusters are reduced before their
// joiners, which are hidden, are gone.
func cells(line string) string {
	return stabilize(strings.ReplaceAll(strings.Map(func(r rune) rune {
		if hidden(r) && r != '\t' || unicode.Is(unicode.Co, r) {
			return -1
		}
		return r
	}, unjoin(line)), "\t", tab))
}

// hidden reports runes that move, hide or reorder the text around them.
func hidden(r rune) bool {
	tag := 0xE0000 <= r && r <= 0xE0FFF
	return tag || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp)
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

// stabilize reduces each cluster whose width depends on how a terminal counts to
// its first rune, and drops one that would draw a neighbour into itself or be drawn into one.
func stabilize(line string) string {
	var b strings.Builder
	for line != "" {
		cluster, wide := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
		line = line[len(cluster):]
		if ansi.StringWidthWc(cluster) != wide {
			r, _ := utf8.DecodeRuneInString(cluster)
			cluster = string(r)
		}
		n := Width(cluster)
		if n == ansi.StringWidthWc(cluster) && Width(cluster+" ") == n+1 && Width(" "+cluster) == n+1 {
			b.WriteString(cluster)
		}
	}
	return b.String()
}
