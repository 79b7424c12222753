package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"ferrus/ui/text"
)

// On a phone's terminal lines break between words, below their values; elsewhere they stay whole.
func TestNarrowTerminals(t *testing.T) {
	t.Parallel()
	print := func(out io.Writer) {
		fmt.Fprintf(out, "%-10s %s\n%-10s %s\n", "question", "executor asks you whether retries apply to POST too", "",
			"No: only GET and HEAD are tried again")
		fmt.Fprintf(out, "%-10s %s\n", "next", strings.Repeat("x", 60))
	}
	var out bytes.Buffer
	(&streams{out: &out, columns: 40}).wrapped(print)
	want := `question   executor asks you whether
           retries apply to POST too
           No: only GET and HEAD are
           tried again
`
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
	for line := range strings.Lines(out.String()) {
		if text.Width(strings.TrimSuffix(line, "\n")) > 40 {
			t.Errorf("%q is wider than the terminal", line)
		}
	}
	for _, columns := range []int{0, 10, 200} {
		var whole, plain bytes.Buffer
		(&streams{out: &whole, columns: columns}).wrapped(print)
		if print(&plain); whole.String() != plain.String() {
			t.Errorf("%d columns: %q", columns, whole.String())
		}
	}
}

// Errors and the lines of a run break between words as well.
func TestNarrowErrors(t *testing.T) {
	t.Parallel()
	var out, words bytes.Buffer
	std := &streams{out: &words, err: &out, columns: 40}
	std.report(failure("cannot reject while Checking: there is no submission to review", "run: ferrus check"))
	want := "ferrus: cannot reject while Checking:\n        there is no submission to review\n" +
		"ferrus: hint: run: ferrus check\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
	(&runPrinter{streams: std}).say("  Should retries apply to POST too? Yes: an order may be placed twice.")
	if want := "  Should retries apply to POST too? Yes:\n  an order may be placed twice.\n"; words.String() != want {
		t.Errorf("printed\n%swant\n%s", words.String(), want)
	}
}
