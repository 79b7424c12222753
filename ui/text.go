package ui

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ferrus/ui/text"
)

// hang is wrap with what goes on under where it began: behind a label and its
// blanks, or behind the blanks in front.
func hang(s string, w int) (lines []string) {
	for _, line := range strings.Split(s, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if label := text.Width(labelled.FindString(line)); label > 0 && label <= w/2 {
			indent = label
		}
		indent = min(indent, w/2)
		head := text.Fold(line, w)
		lines = append(lines, strings.TrimRight(head, " "))
		if rest := strings.TrimLeft(line[len(head):], " "); rest != "" {
			for _, more := range text.Wrap(rest, w-indent) {
				lines = append(lines, text.Blanks(indent)+more)
			}
		}
	}
	return lines
}

// labelled is what stands in front of a value: words, and two blanks or more.
var labelled = regexp.MustCompile(`^ *[^ ]+(?: [^ ]+)*  +`)

// clauses is a sentence without its last clauses, as far as w cells have no room
// for them.
func clauses(s string, w int) string {
	for short := s; ; {
		if text.Width(short) <= w {
			return short
		}
		i := max(strings.LastIndex(short, ", "), strings.LastIndex(short, "; "))
		if i < 0 {
			return s
		}
		short = short[:i]
	}
}

// flow joins lines that somebody broke at the end of a page of their own, so that
// they break at ours. What is short, indented or begins with a mark stays a line.
func flow(s string) string {
	const page = 60
	lines := strings.Split(s, "\n")
	out := lines[0]
	for i, line := range lines[1:] {
		first, _ := utf8.DecodeRuneInString(line)
		if text.Width(lines[i]) >= page && unicode.IsLetter(first) {
			out += " " + line
		} else {
			out += "\n" + line
		}
	}
	return out
}
