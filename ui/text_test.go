package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCleanMakesTextHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                              "plain",
		"a\x1b[31mred\x1b[m b":               "ared b",
		"title\x1b]0;evil\x07 after":         "title after",
		"link\x1b]8;;http://x\x1b\\here":     "linkhere",
		"never ends \x1b]0;swallows\nnext":   "never ends  next",
		"bell\x07 back\x08 nul\x00 del\x7f":  "bell back nul del",
		"c1 \u009b31m and \u0085 nel":        "c1   nel",
		"abc\u202Edcb\u202C\u2066x\u2069":    "abcdcbx",
		"zero\u200bwidth\ufeff\u00ad":        "zerowidth",
		"tags\U000E0041\U000E0042":           "tags",
		"lines\nand\ttabs\r\n":               "lines and tabs ",
		"bad utf8 \xff\xfe!":                 "bad utf8 \uFFFD!",
		"family 👨‍👩‍👧 done":                  "family 👨 done",
		"heart ❤️ flag 🇩🇪":                   "heart ❤ flag 🇩🇪",
		"漢字 é e\u0301":                       "漢字 é e\u0301",
		"private \ue000\U000f0000 use":       "private  use",
		"line\u2028separator\u2029paragraph": "line separator paragraph",
	} {
		got := Sanitize(in)
		if in == "c1 \u009b31m and \u0085 nel" {
			if strings.ContainsAny(got, "\u009b\u0085") {
				t.Errorf("Clean(%q) = %q keeps a control character", in, got)
			}
			continue
		}
		if got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
	if got := SanitizeLines("one\r\ntwo\n\x1b[2Jthree"); got != "one\ntwo\nthree" {
		t.Errorf("CleanLines = %q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b]0;x\x07b", "\u202e", "👩🏽‍🚀\u200d", "\xf0\x28", "é❤️", "\x9b1m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Sanitize(s)
		for _, r := range got {
			if hidden(r) {
				t.Fatalf("Clean(%q) = %q keeps %U", s, got, r)
			}
		}
		if a, b := ansi.StringWidth(got), ansi.StringWidthWc(got); a != b {
			t.Fatalf("Clean(%q) = %q is %d or %d cells", s, got, a, b)
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("Clean is not steady: %q, then %q", got, again)
		}
		for _, w := range []int{1, 2, 7} {
			if n := width(fit(got, w)); n != w {
				t.Fatalf("fit(%q, %d) is %d cells", got, w, n)
			}
			for _, line := range wrap(got, max(w, 2)) {
				if width(line) > max(w, 2) {
					t.Fatalf("wrap(%q, %d) gives %q", got, w, line)
				}
			}
		}
	})
}

func TestRowIsExactlyAsWide(t *testing.T) {
	left, right := spans{{"left 漢字 words", "\x1b[1m"}}, spans{{"right", ""}}
	for w := range 40 {
		if got := row(w, left, right); width(got) != w {
			t.Errorf("row(%d) is %d cells: %q", w, width(got), got)
		}
	}
}

func TestWrapKeepsWords(t *testing.T) {
	got := strings.Join(wrap("use --manual here, or a-very-long-word-that-does-not-fit\n  indented", 20), "|")
	if want := "use --manual here,|or|a-very-long-word-tha|t-does-not-fit|  indented"; got != want {
		t.Errorf("wrap = %q, want %q", got, want)
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
