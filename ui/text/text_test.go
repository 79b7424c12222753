package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestSanitizedTextIsHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                "plain",
		"a\x1b[31mred\x1b[m b":                 "ared b",
		"title\x1b]0;evil\x07 after":           "title after",
		"link\x1b]8;;http://x\x1b\\here":       "linkhere",
		"never ends \x1b]0;swallows\nnext":     "never ends  next",
		"bell\x07 back\x08 nul\x00 del\x7f":    "bell back nul del",
		"c1 \u009b31m and \u0085 nel":          "c1 31m and   nel",
		"abc\u202Edcb\u202C\u2066x\u2069":      "abcdcbx",
		"zero\u200bwidth\ufeff\u00ad":          "zerowidth",
		"tags\U000E0041\U000E0042":             "tags",
		"lines\nand\ttabs\r\n":                 "lines and    tabs ",
		"old\rends":                            "old ends",
		"bad utf8 \xff\xfe!":                   "bad utf8 \uFFFD!",
		"was bad \uFFFD":                       "was bad \uFFFD",
		"family 👨\u200d👩\u200d👧 done":          "family 👨 done",
		"heart ❤️ flag 🇩🇪":                     "heart ❤ flag 🇩🇪",
		"漢字 é e\u0301":                         "漢字 é e\u0301",
		"private \ue000\U000f0000 use":         "private  use",
		"\u0d46 a mark with a cell of its own": " a mark with a cell of its own",
		"line\u2028separator\u2029paragraph":   "line separator paragraph",
	} {
		if got := Sanitize(in); got != want {
			t.Errorf("Sanitize(%q) = %q, want %q", in, got, want)
		}
	}
	if got := SanitizeLines("one\r\ntwo\n\x1b[2Jthree\rfour\u2028five"); got != "one\ntwo\nthree\nfour\nfive" {
		t.Errorf("SanitizeLines = %q", got)
	}
}

func TestPlainTextKeepsWhatIsOnlyAboutWidth(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":                       "plain\ttext\n",
		"\x1b[1;31mred\x1b[0m":                "red",
		"\x1b]0;title\x07a\x1b]8;;u\x1b\\b":   "ab",
		"\x1b]unterminated\nnext":             "\nnext",
		"a\x9b31mb\u009b2Jc":                  "a\ufffd31mb2Jc",
		"\u202eabc\u2066 \u200btag\U000E0041": "abc tag",
		"\x1b(Bx\x1bMy\x1b":                   "xy",
		"é 漢 👍 👨\u200d👩\u200d👧 ❤️ \ue000":     "é 漢 👍 👨\u200d👩\u200d👧 ❤️ \ue000",
		"می\u200cروم":                         "می\u200cروم",
		"one\r\ntwo\u2028three":               "one\ntwo\nthree",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOutputIsWhatALineShowsInTheEnd(t *testing.T) {
	for in, want := range map[string]string{
		"ok  \tpkg\t0.1s":              "ok  \tpkg\t0.1s",
		"10%\r\x1b[K20%\r100%\r\n":     "100%",
		"\x1b[32mPASS\x1b[m\r":         "PASS",
		"a\u2028b":                     "a b",
		"swallowed \x1b]0;title\rhere": "swallowed ",
	} {
		if got := Output(in); got != want {
			t.Errorf("Output(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFirstLineSaysSomething(t *testing.T) {
	for in, want := range map[string]string{
		"\n \t\n  two   words\tand more \nnext": "two words and more",
		"\x1b[31m\n\x1b[mred":                   "red",
		" \n\r\n":                               "",
	} {
		if got := FirstLine(in); got != want {
			t.Errorf("FirstLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a\x1b]0;x\x07b", "\u202e", "👩🏽\u200d🚀\u200d", "\xf0\x28", "é❤️", "\x9b1m", "\x1b]0;本\x9c本", "a\r\x1bb",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := Sanitize(s)
		mustBeHarmless(t, s, line, "")
		mustBeHarmless(t, s, SanitizeLines(s), "\n")
		mustBeHarmless(t, s, Plain(s), "\n\t\u200C\u200D")
		mustBeHarmless(t, s, Output(s), "\t\u200C\u200D")
		for name, again := range map[string]func(string) string{
			"Sanitize": Sanitize, "SanitizeLines": SanitizeLines, "Plain": Plain, "Output": Output,
			"FirstLine": FirstLine,
		} {
			if once := again(s); again(once) != once {
				t.Fatalf("%s is not steady: %q, then %q", name, once, again(once))
			}
		}
		mustHaveWidth(t, line)
	})
}

func mustBeHarmless(t *testing.T, s, got, allowed string) {
	t.Helper()
	if !utf8.ValidString(got) {
		t.Fatalf("%q becomes %q, which is not UTF-8", s, got)
	}
	for _, r := range got {
		if !strings.ContainsRune(allowed, r) && (hidden(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("%q becomes %q, which keeps %U", s, got, r)
		}
	}
}

// mustHaveWidth checks that a sanitized line is as wide in every terminal, and what
// depends on that.
func mustHaveWidth(t *testing.T, line string) {
	t.Helper()
	if a, b := ansi.StringWidth(line), ansi.StringWidthWc(line); a != b {
		t.Fatalf("%q is %d or %d cells", line, a, b)
	}
	for _, w := range []int{1, 2, 7} {
		if n := Width(Fit(line, w)); n != w {
			t.Fatalf("Fit(%q, %d) is %d cells", line, w, n)
		}
		for _, row := range Wrap(line, max(w, 2)) {
			if Width(row) > max(w, 2) {
				t.Fatalf("Wrap(%q, %d) gives %q", line, w, row)
			}
		}
		if head := CutBytes(line, w); len(head) > w || !strings.HasPrefix(line, head) || !utf8.ValidString(head) {
			t.Fatalf("CutBytes(%q, %d) is %q", line, w, head)
		}
	}
}

func TestWrapKeepsWords(t *testing.T) {
	got := strings.Join(Wrap("use --manual here, or a-very-long-word-that-does-not-fit\n  indented", 20), "|")
	if want := "use --manual here,|or|a-very-long-word-tha|t-does-not-fit|  indented"; got != want {
		t.Errorf("Wrap = %q, want %q", got, want)
	}
}

func TestCheckEncoding(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "Grün\x00\u202e\ufffd": "",
		"one\ntwo\ngr\xfcn": "line 3 has the byte 0xfc", "\xff\xfe": "line 1 has the byte 0xff",
	} {
		err := CheckEncoding(text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("CheckEncoding(%q) is %v, want %q", text, err, want)
		}
	}
}
