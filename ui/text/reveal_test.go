package text

import (
	"strings"
	"testing"
)

func TestRevealedTextHidesNothing(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...":                       "go test ./...",
		"a\nb":                                "a ⏎ b",
		"a\r\nb":                              `a\x0d ⏎ b`,
		"echo \x1b]0;$(rm -rf ~)\x07 done":    `echo \x1b]0;$(rm -rf ~)\x07 done`,
		"ls\x1b[2K\x1b[1Gtrue":                `ls\x1b[2K\x1b[1Gtrue`,
		"rm x\rls  ":                          `rm x\x0dls  `,
		"a\tb":                                `a\x09b`,
		"abc\u202Edcb\u2066":                  `abc\u202edcb\u2066`,
		"c1 \u009b31m":                        `c1 \u009b31m`,
		"zero\u200bwidth\ufeff":               `zero\u200bwidth\ufeff`,
		"tag\U000E0041":                       `tag\U000e0041`,
		"no\u00a0break \u3000 \u3164 \u2800x": `no\u00a0break \u3000 \u3164 \u2800x`,
		"heart ❤️":                            `heart \u2764\ufe0f`,
		"private \ue000":                      `private \ue000`,
		"bad \xff\xfe!":                       `bad \xff\xfe!`,
		"was bad \ufffd":                      "was bad \ufffd",
		"漢字 é e\u0301":                        "漢字 é e\u0301",
		strings.Repeat(" ", 25) + "x":         strings.Repeat(" ", 25) + "x",
		"make" + strings.Repeat(" ", 999) + ";rm x" + strings.Repeat(" ", 30): "make (999 blanks) ;rm x (30 blanks) ",
	} {
		if got := Reveal(in); got != want {
			t.Errorf("Reveal(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzReveal(f *testing.F) {
	for _, s := range []string{"a\x1b]0;b\x07\n", "👨\u200d👩", "\xff\u202e  ", "e\u0301\u0301", "🇩🇪🇩", "\f〮"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := Reveal(in)
		if safe := Sanitize(got); safe != got {
			t.Errorf("Reveal(%q) = %q, which is shown as %q", in, got, safe)
		}
		for _, r := range in {
			if r > ' ' && r < 0x7f && strings.Count(got, string(r)) < strings.Count(in, string(r)) {
				t.Errorf("Reveal(%q) = %q lacks a %q", in, got, r)
			}
		}
	})
}
