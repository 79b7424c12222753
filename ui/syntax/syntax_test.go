package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// marks stand before a piece in a test, by kind.
var marks = map[Kind]string{Plain: "", Keyword: "k", Text: "t", Number: "n", Comment: "c", Name: "N"}

// shown returns the lines of a text with what is not plain in brackets.
func shown(l *Language, text string) string {
	var b strings.Builder
	var open State
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		var pieces []Piece
		pieces, open = l.Tokenize(line, open)
		for _, p := range pieces {
			if p.Kind == Plain {
				b.WriteString(p.Text)
				continue
			}
			fmt.Fprintf(&b, "%s[%s]", marks[p.Kind], p.Text)
		}
	}
	return b.String()
}

func TestLinesAreDivided(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.go", "func Get(n int) string { // why", "k[func] N[Get](n k[int]) k[string] { c[// why]"},
		{"a.go", `x := "a \" b" + 'c' + 0x1F`, `x := t["a \" b"] + t['c'] + n[0x1F]`},
		{"a.go", "s := `one\ntwo` + v2", "s := t[`one]\nt[two`] + v2"},
		{"a.go", "a /* b\nc */ d", "a c[/* b]\nc[c */] d"},
		{"a.py", "def f(): \"\"\"doc\nmore\"\"\" # end", "k[def] f(): t[\"\"\"doc]\nt[more\"\"\"] c[# end]"},
		{"a.rs", "fn f<'a>(x: &'a str)", "k[fn] f<t['a>(x: &']a str)"},
		{"a.sh", "if test $# -gt 1; then", "k[if] test $# -gt n[1]; k[then]"},
		{"a.yaml", "on-call: true # x", "N[on-call]: k[true] c[# x]"},
		{"a.toml", `name = "x"`, `N[name] = t["x"]`},
		{"a.json", `{"a": [1, null]}`, `{t["a"]: [n[1], k[null]]}`},
		{"a.sql", "SELECT * FROM t -- all", "k[SELECT] * k[FROM] t c[-- all]"},
		{"a.html", `<a href="x">b</a>`, `<k[a] href=t["x"]>b</k[a]>`},
		{"Makefile", "include x # y", "k[include] x c[# y]"},
		{"a.js", "it's", "it's"},
		{"a.txt", "if else", "if else"},
	} {
		if got := shown(Of(c.file), c.text); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.file, got, c.want)
		}
	}
	if Called("golang") != Of("x.go") || Called("nonsense") != nil {
		t.Error("a language is not known by its name")
	}
}

// FuzzLine: pieces joined are the line, whatever it is.
func FuzzLine(f *testing.F) {
	f.Add("a.go", "x := `a", uint8(0))
	f.Add("a.py", `""" # '`, uint8(1))
	f.Add("a.html", "<a b='", uint8(9))
	f.Fuzz(func(t *testing.T, file, line string, open uint8) {
		pieces, left := Of(file).Tokenize(line, State(open))
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(p.Text)
		}
		if b.String() != line {
			t.Errorf("%q became %q", line, b.String())
		}
		if l := Of(file); l != nil && int(left) > max(len(l.fences), int(open)) {
			t.Errorf("%q leaves %d open", line, left)
		}
	})
}
