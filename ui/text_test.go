package ui

import (
	"strings"
	"testing"

	"ferrus/ui/text"
)

func TestRowIsExactlyAsWide(t *testing.T) {
	left, right := spans{{"left 漢字 words", "\x1b[1m"}}, spans{{"right", ""}}
	for w := range 40 {
		if got := row(w, left, right); text.Width(got) != w {
			t.Errorf("row(%d) is %d cells: %q", w, text.Width(got), got)
		}
	}
}

func TestParagraphsFlow(t *testing.T) {
	long := strings.Repeat("word ", 12) + "end"
	for in, want := range map[string]string{
		long + "\nand more\nshort": long + " and more\nshort",
		long + "\n1. a list":       long + "\n1. a list",
		long + "\n  indented":      long + "\n  indented",
		"short\nlines":             "short\nlines",
		"":                         "",
	} {
		if got := flow(in); got != want {
			t.Errorf("%q flows as %q", in, got)
		}
	}
}

func TestWhatGoesOnHangsUnderItsValue(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"task  one two three", "task  one\n      two\n      three"},
		{"  pid 4711  is here now", "  pid 4711\n  is here\n  now"},
		{"no label at all here", "no label at\nall here"},
		{"    indented words go on", "    indented\n    words go\n    on"},
		{"a  b\n\nc", "a  b\n\nc"},
	} {
		if got := strings.Join(hang(c.text, 12), "\n"); got != c.want {
			t.Errorf("%q hangs as\n%s\nnot\n%s", c.text, got, c.want)
		}
	}
}

func TestClausesThatDoNotFitAreLeftOut(t *testing.T) {
	for w, want := range map[int]string{99: "one thing, two; three", 20: "one thing, two", 13: "one thing", 5: "one thing, two; three"} {
		if got := clauses("one thing, two; three", w); got != want {
			t.Errorf("in %d cells it is %q, not %q", w, got, want)
		}
	}
}
