package ui

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sanitize makes one line of text harmless: escape sequences, control and bidi
// characters go, line ends and tabs become blanks, and a cluster that terminals
// do not agree on the width of is reduced to its first rune.
func Sanitize(text string) string {
	return clean(text, ' ')
}

// SanitizeLines is [Sanitize] that keeps line ends.
func SanitizeLines(text string) string {
	return clean(text, '\n')
}

// pasted is a text from the clipboard as the prompt takes it: most terminals paste
// the end of a line as the key Enter, a carriage return.
func pasted(text string) string {
	return SanitizeLines(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
}

func clean(text string, newline rune) string {
	if harmless(text, newline) {
		return text
	}
	var b strings.Builder
	for i, line := range breaks(strings.ToValidUTF8(text, "\uFFFD")) {
		if i > 0 {
			b.WriteRune(newline)
		}
		b.WriteString(steady(shown(line)))
	}
	return b.String()
}

// shown is one line without what is not to be seen. A joiner goes with its
// cluster, so clusters are looked at before.
func shown(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case hidden(r):
			return -1
		}
		return r
	}, firsts(line))
}

// firsts reduces what is joined to its first part: half a family is no family.
func firsts(line string) string {
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

// breaks divides text at its line ends and takes the escape sequences out of each
// line, so that an unfinished one swallows no more than its own.
func breaks(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	return lines
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
	case r == '\u2028', r == '\u2029', 0xE0000 <= r && r <= 0xE0FFF: // separators, tags
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

// steady reduces each cluster whose width depends on how a terminal counts to
// its first rune, and drops what would draw its neighbour into itself.
func steady(text string) string {
	var b strings.Builder
	for text != "" {
		cluster, wide := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		if ansi.StringWidthWc(cluster) != wide {
			r, _ := utf8.DecodeRuneInString(cluster)
			cluster = string(r)
		}
		if n := width(cluster); n == ansi.StringWidthWc(cluster) && width(cluster+" ") == n+1 {
			b.WriteString(cluster)
		}
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

// wrap breaks text into lines of at most w cells, at blanks where there are any.
func wrap(text string, w int) (lines []string) {
	if w < 1 {
		return nil
	}
	for _, line := range strings.Split(text, "\n") {
		head := fold(line, w)
		for lines = append(lines, head); len(head) < len(line); lines = append(lines, head) {
			line = strings.TrimLeft(line[len(head):], " ")
			head = fold(line, w)
		}
	}
	return lines
}

// hang is wrap with what goes on under where it began: behind a label and its
// blanks, or behind the blanks in front.
func hang(text string, w int) (lines []string) {
	for _, line := range strings.Split(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if label := width(labelled.FindString(line)); label > 0 && label <= w/2 {
			indent = label
		}
		indent = min(indent, w/2)
		head := fold(line, w)
		lines = append(lines, strings.TrimRight(head, " "))
		if rest := strings.TrimLeft(line[len(head):], " "); rest != "" {
			for _, more := range wrap(rest, w-indent) {
				lines = append(lines, blanks(indent)+more)
			}
		}
	}
	return lines
}

// labelled is what stands in front of a value: words, and two blanks or more.
var labelled = regexp.MustCompile(`^ *[^ ]+(?: [^ ]+)*  +`)

// clauses is a sentence without its last clauses, as far as w cells have no room
// for them.
func clauses(text string, w int) string {
	for short := text; ; {
		if width(short) <= w {
			return short
		}
		i := max(strings.LastIndex(short, ", "), strings.LastIndex(short, "; "))
		if i < 0 {
			return text
		}
		short = short[:i]
	}
}

// flow joins lines that somebody broke at the end of a page of their own, so that
// they break at ours. What is short, indented or begins with a mark stays a line.
func flow(text string) string {
	const page = 60
	lines := strings.Split(text, "\n")
	out := lines[0]
	for i, line := range lines[1:] {
		first, _ := utf8.DecodeRuneInString(line)
		if width(lines[i]) >= page && unicode.IsLetter(first) {
			out += " " + line
		} else {
			out += "\n" + line
		}
	}
	return out
}

// fold is the beginning of a line that goes on a line of w cells. It looks at no
// more than that takes, so that a very long line costs no more than its length.
func fold(line string, w int) string {
	start := line
	if most := 32 * w; len(line) > most {
		for most > 0 && !utf8.RuneStart(line[most]) {
			most--
		}
		start = line[:most]
	}
	head := ansi.Truncate(start, w, "")
	if head == "" { // not even one character fits
		_, n := utf8.DecodeRuneInString(start)
		return start[:n]
	}
	if len(head) == len(line) {
		return head
	}
	if i := strings.LastIndexByte(head, ' '); line[len(head)] != ' ' && i > 0 && strings.TrimSpace(head[:i]) != "" {
		return head[:i]
	}
	return head
}
