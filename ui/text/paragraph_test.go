package text

import (
	"strings"
	"testing"
)

func TestParagraphsFlow(t *testing.T) {
	long := strings.Repeat("word ", 12) + "end"
	for in, want := range map[string]string{
		long + "\nand more\nshort": long + " and more\nshort",
		long + "\n1. a list":       long + "\n1. a list",
		long + "\n  indented":      long + "\n  indented",
		"short\nlines":             "short\nlines",
		"":                         "",
	} {
		if got := Reflow(in); got != want {
			t.Errorf("%q flows as %q", in, got)
		}
	}
}

func TestWhatGoesOnHangsUnderItsValue(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"task  one two three", "task  one\n      two\n      three"},
		{"  pid 4711  is here now", "  pid 4711\n  is here\n  now"},
		{"no label at all here", "no label at\nall here"},
		{"    indented words go in", "    indented\n    words go\n    in"},
		{"a  b\n\nc", "a  b\n\nc"},
	} {
		if got := strings.Join(Hang(c.text, 12), "\n"); got != c.want {
			t.Errorf("%q hangs as\n%s\nnot\n%s", c.text, got, c.want)
		}
	}
}

func TestClausesThatDoNotFitAreLeftOut(t *testing.T) {
	for w, want := range map[int]string{99: "one thing, two; three", 20: "one thing, two", 13: "one thing",
		5: "one thing, two; three"} {
		if got := DropClauses("one thing, two; three", w); got != want {
			t.Errorf("in %d cells it is %q, not %q", w, got, want)
		}
	}
	for w, want := range map[int]string{30: "One. Two for all (F1: help)", 20: "One. Two for all", 10: "One"} {
		if got := DropClauses("One. Two for all (F1: help)", w); got != want {
			t.Errorf("in %d cells it is %q, not %q", w, got, want)
		}
	}
}

// A name that an agent chose opens no block, heading or list where it is shown.
func TestNamesAreNoMarkdown(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ui/text/a_b-1.go": "ui/text/a_b-1.go", "docs/Über uns.md": "docs/Über uns.md",
		"# APPROVED": "` # APPROVED `", "```": "```` ``` ````", "~~~~": "` ~~~~ `",
		"- x": "` - x `", "    x": "`     x `",
		"a`b": "`` a`b ``", "<b>": "` <b> `", "> x": "` > x `", "[a](b)": "` [a](b) `",
	} {
		if got := Name(name); got != want {
			t.Errorf("Name(%q) is %q, want %q", name, got, want)
		}
	}
}
