package tty

import (
	"io"
	"os"
	"sync/atomic"
	"testing"
)

// TestSequencesAreWhole checks for which input the rest is waited for.
func TestSequencesAreWhole(t *testing.T) {
	for _, c := range []struct {
		input        string
		whole, quiet bool // while an answer may come, and while none may
	}{
		{"", true, true}, {"abc", true, true}, {"\x1b[A", true, true}, {"x\x1b[1;5A\x1b[<0;1;2M", true, true},
		{"\x1bOA", true, true}, {"\x1b\x1b[A", true, true}, {"\x1b[[A", true, true},
		{"\x1b]11;rgb:0/0/0\x1b\\", true, true},
		{"\x1bx", true, true}, {"\x1b]11;?\a", true, true}, {"\x1bP>|tmux\x1b\\k", true, true},
		{"\x1b", false, true}, {"\x1b\x1b", false, true}, {"\x1bO", false, true}, {"\x1b]", false, true},
		{"\x1bP", false, true},
		{"\x1b[", false, false}, {"\x1b[?62;", false, false}, {"abc\x1b[1;", false, false}, {"\x1b[[", false, false},
		{"\x1b]11;rgb:00", false, false}, {"\x1b]11;rgb:0/0/0\x1b", false, false}, {"\x1bP>|t", false, false},
	} {
		if got := complete([]byte(c.input), true); got != c.whole {
			t.Errorf("%q while an answer may come: whole %v", c.input, got)
		}
		if got := complete([]byte(c.input), false); got != c.quiet {
			t.Errorf("%q while none may: whole %v", c.input, got)
		}
	}
}

// TestInputIsTranslated removes answers, as many as were asked for.
func TestInputIsTranslated(t *testing.T) {
	for _, c := range []struct {
		name, input, want string
		asked             int
	}{
		{"text", "hello\x1b[A", "hello\x1b[A", 0},
		{"an answer", "a\x1b[?62;22cb", "ab", 1},
		{"two answers", "\x1b[?6c\x1b[?6c", "", 2},
		{"one without a question", "\x1b[?6c\x1b[?6c", "\x1b[?6c", 1},
		{"other answers", "\x1b[?2026;2$y\x1b[?1u", "\x1b[?2026;2$y\x1b[?1u", 1},
		{"keys of the console", "\x1b[[A\x1b[[E[A", "\x1bOP\x1b[15~[A", 0},
		{"an end that is missing", "a\x1b[?6", "a\x1b[?6", 1},
	} {
		f := newFlowControl()
		f.asked = c.asked
		if got := (reader{flow: f}).translate([]byte(c.input)); string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestInputEnds checks that the end of the input is reported, even in the middle of a sequence.
func TestInputEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, _ = w.WriteString("a\x1b[1;")
	_ = w.Close()
	buffer := make([]byte, 64)
	gone := 0
	s := reader{r, newFlowControl(), new(atomic.Int64), func() { gone++ }}
	n, err := s.Read(buffer)
	if string(buffer[:n]) != "a\x1b[1;" || err != nil {
		t.Errorf("read %q, %v", buffer[:n], err)
	}
	if n, err := s.Read(buffer); n != 0 || err != io.EOF || gone != 1 {
		t.Errorf("at the end: %d, %v, told %d times", n, err, gone)
	}
}

// FuzzInput reads any bytes: everything that is not an answer comes out again.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{"", "\x1b[A", "\x1b[?6c", "\x1b[[A", "\x1b]11;?\a", "\x1b\x1b\x1b[", "\x1bP\x1b\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		complete(input, true)
		out := (reader{flow: newFlowControl()}).translate(input)
		if len(out) < len(input)*3/4 || len(out) > len(input)*5/4 {
			t.Errorf("%q became %q", input, out)
		}
	})
}
