package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"ferrus/ui/text/lazyregexp"
)

// Hang wraps text with a hanging indent: continuation lines are aligned with the
// value behind the label, or with the line's indent.
func Hang(s string, w int) (lines []string) {
	for _, line := range strings.Split(s, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if label := Width(labelled.FindString(line)); label > 0 && label <= w/2 {
			indent = label
		}
		indent = min(indent, w/2)
		head := Fold(line, w)
		lines = append(lines, strings.TrimRight(head, " "))
		if rest := strings.TrimLeft(line[len(head):], " "); rest != "" {
			for _, more := range Wrap(rest, w-indent) {
				lines = append(lines, Blanks(indent)+more)
			}
		}
	}
	return lines
}

// labelled matches the label of a value: words, then two blanks or more.
var labelled = lazyregexp.New(`^ *[^ ]+(?: [^ ]+)*  +`)

// clauseEnds are what ends a clause that can stand alone.
var clauseEnds = []string{", ", "; ", ". ", " ("}

// DropClauses returns a text without the last of its clauses that do not fit into w
// cells. A text whose first clause does not fit comes back whole.
func DropClauses(s string, w int) string {
	for short := s; ; {
		if Width(short) <= w {
			return short
		}
		i := -1
		for _, end := range clauseEnds {
			i = max(i, strings.LastIndex(short, end))
		}
		if i < 0 {
			return s
		}
		short = short[:i]
	}
}

// Reflow joins lines that were broken to fit a page, so that they can be wrapped to
// fit ours. What is short, indented or begins with a mark stays a line.
func Reflow(s string) string {
	const page = 60
	lines := strings.Split(s, "\n")
	out := lines[0]
	for i, line := range lines[1:] {
		first, _ := utf8.DecodeRuneInString(line)
		if Width(lines[i]) >= page && unicode.IsLetter(first) {
			out += " " + line
		} else {
			out += "\n" + line
		}
	}
	return out
}

// Fence returns a text of an agent, or of what it ran, as a fenced block of Markdown that nothing in it ends, so that
// it cannot look like a part of the page around it, and with its hidden characters spelled out; empty for an
// empty text.
func Fence(language, body string) string {
	if body = strings.TrimRight(body, "\n"); strings.TrimSpace(body) == "" {
		return ""
	}
	mark := "```"
	for strings.Contains(body, mark) {
		mark += "`"
	}
	return mark + language + "\n" + Escape(strings.ReplaceAll(body, "\r\n", "\n")) + "\n" + mark
}

// Bullets returns names that agents chose as a list in Markdown, each on one line.
func Bullets(names []string) string {
	var lines []string
	for _, name := range names {
		lines = append(lines, "- "+Name(name))
	}
	return strings.Join(lines, "\n")
}

// Name returns a name that an agent chose for a line of Markdown: as code unless it is plain, so that it opens no block
// and starts no heading.
func Name(name string) string {
	name = Sanitize(name)
	if plainName.MatchString(name) {
		return name
	}
	mark := "`"
	for strings.Contains(name, mark) {
		mark += "`"
	}
	return mark + " " + name + " " + mark
}

var plainName = lazyregexp.New(`^[\pL\pN._/@+][\pL\pN._/@+ -]*$`)

// Count returns a number with what is counted: 1 line, 2 lines.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Position names lines of a file: fetch.go:12-14. A last line that is not behind the first is
// left out, and a first of 0 names the whole file; no path names the whole change. The old
// side is that before the change.
func Position(path string, first, last int, old bool) string {
	switch {
	case path == "":
		return "the whole change"
	case first == 0:
		return path
	}
	words := fmt.Sprintf("%s:%d", path, first)
	if last > first {
		words += fmt.Sprintf("-%d", last)
	}
	if old {
		words += " (old side)"
	}
	return words
}
