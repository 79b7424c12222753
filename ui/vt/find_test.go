package vt

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, input, text, want string }{
		{"nothing", "abc", "", "[]"},
		{"on the screen", "an apple\r\nno", "apple", "[{{0 3} {0 7}}]"},
		{"small letters find capitals", "Apple", "apple", "[{{0 0} {0 4}}]"},
		{"capitals find only themselves", "apple", "Apple", "[]"},
		{"in the scrollback", "one\r\n2\r\n3\r\n4\r\n5\r\none", "one", "[{{0 0} {0 2}} {{5 0} {5 2}}]"},
		{"over the end of a row", "0123456789abc", "9ab", "[{{0 9} {1 1}}]"},
		{"wrapped into the scrollback", "\x1b[31m0123456789abc\x1b[m\r\n\n\n\n\n", "9ab", "[{{0 9} {1 1}}]"},
		{"after wide characters", "漢字x\r\n\n\n\n\n", "字x", "[{{0 2} {0 4}}]"},
		{"marks", "e\u0301x\r\n\n\n\n\n", "x", "[{{0 1} {0 1}}]"},
		{"styles and links are no text", "\x1b]8;;http://m\x1b\\a\x1b[1;31mb\x1b]8;;\x1b\\c\r\n\n\n\n\n", "abc",
			"[{{0 0} {0 2}}]"},
		{"twice in a line", "ab ab", "ab", "[{{0 0} {0 1}} {{0 3} {0 4}}]"},
	}
	for _, c := range cases {
		if got := fmt.Sprint(written(c.input).Find(c.text, 9)); got != c.want {
			t.Errorf("%s: %q in %q is at %s, want %s", c.name, c.text, c.input, got, c.want)
		}
	}
	if got := fmt.Sprint(written("a a a\r\na").Find("a", 2)); got != "[{{0 4} {0 4}} {{1 0} {1 0}}]" {
		t.Errorf("the newest two are %s", got)
	}
}

func TestTextBetween(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, input string
		from, to    Place
		want        string
	}{
		{"in a line", "hello", Place{0, 1}, Place{0, 3}, "ell"},
		{"the other way round", "hello", Place{0, 3}, Place{0, 1}, "ell"},
		{"lines", "one  \r\n two\r\nthree", Place{0, 1}, Place{2, 1}, "ne\n two\nth"},
		{"wrapped lines are one", "0123456789abc\r\nd", Place{0, 8}, Place{2, 0}, "89abc\nd"},
		{"beyond the end", "ab\r\ncd", Place{0, 7}, Place{9, 9}, "\ncd\n\n"},
		{"half a wide character is all of it", "漢字", Place{0, 1}, Place{0, 2}, "漢字"},
		{"from the scrollback", "\x1b[1mone\x1b[m\r\n2\r\n3\r\n4\r\n5", Place{0, 0}, Place{1, 0}, "one\n2"},
	}
	for _, c := range cases {
		if got := written(c.input).TextBetween(c.from, c.to); got != c.want {
			t.Errorf("%s: %q from %v to %v is %q, want %q", c.name, c.input, c.from, c.to, got, c.want)
		}
	}
}

func TestALineKeepsItsNumber(t *testing.T) {
	t.Parallel()
	v := written("0\r\n1\r\n2\r\n3\r\n4")
	for i := 5; i < 40; i++ {
		fmt.Fprintf(v, "\r\n%d", i)
		oldest, screen := v.Lines()
		for _, line := range []int{oldest, screen, screen + 3} {
			if cells, _ := v.Cells(line); strings.Join(cells, "") != fmt.Sprint(line) {
				t.Fatalf("line %d after %d shows %q", line, i, cells)
			}
		}
		if i == 20 {
			v.Write([]byte("\x1b[3J"))
		}
	}
}

// prompts returns the texts of the lines in which a prompt begins.
func prompts(v *Terminal) (texts []string) {
	oldest, screen := v.Lines()
	for line := oldest; line < screen+v.height; line++ {
		if v.Prompt(line) {
			text, _ := v.plain(line)
			texts = append(texts, text)
		}
	}
	return texts
}

func TestPromptsAreKnown(t *testing.T) {
	t.Parallel()
	const prompt, output = "\x1b]133;A\x1b\\$ \x1b]133;B\x1b\\", "\x1b]133;C\x1b\\"
	v := New(10, 4, 50)
	v.Write([]byte(prompt + "one" + output + "\r\n1\r\n2\r\n3\r\n4\r\n" + prompt + "a long command" + output +
		"\r\n\x1b]133;D;0\x1b\\"))
	if got := fmt.Sprintf("%q", prompts(v)); got != `["$ one" "$ a long c"]` {
		t.Errorf("prompts at %s", got)
	}
	v.Resize(5, 4)
	v.Resize(30, 6)
	if got := fmt.Sprintf("%q", prompts(v)); got != `["$ one" "$ a long command"]` {
		t.Errorf("after resizes, prompts at %s", got)
	}
	v.Write([]byte("\x1b[2J"))
	if got := fmt.Sprintf("%q", prompts(v)); got != `["$ one"]` { // in the scrollback
		t.Errorf("after the screen was erased, prompts at %s", got)
	}
}

// findAnything fails when a place that was found does not show what was sought.
func findAnything(t testing.TB, v *Terminal, text string) {
	t.Helper()
	for _, s := range v.Find(text, 50) {
		got := v.TextBetween(s.From, s.To)
		if !strings.Contains(lower(strings.ReplaceAll(got, "\n", "")), lower(strings.TrimRight(text, " "))) {
			t.Fatalf("%q is found at %v, which shows %q", text, s, got)
		}
	}
}

func TestWhatIsFoundIsThere(t *testing.T) {
	t.Parallel()
	for seed := range int64(100) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 60, rows: 16}
		v := New(60, 16, 100)
		v.Write(g.polite(300, seed%2 == 0))
		v.Write(g.hostile(1000))
		for _, text := range []string{"fox", "o", "xx", "漢", "字", "e\u0301", "─│", "ab "} {
			if findAnything(t, v, text); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("one\r\ntwo\x1b[31mthree"), "o\x1b", uint8(5))
	f.Add([]byte("漢字\u0301x\x1b]8;;http://x\x1b\\y"), "字", uint8(3))
	f.Fuzz(func(t *testing.T, p []byte, text string, columns uint8) {
		v := New(int(columns)%130+1, 5, 50)
		v.Write(p)
		findAnything(t, v, text)
	})
}

func BenchmarkFind(b *testing.B) {
	v, _ := fillWith(10_100, fullLine)
	for b.Loop() {
		v.Find("nowhere", 100)
	}
}
