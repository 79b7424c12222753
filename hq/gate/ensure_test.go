package gate

import (
	"fmt"
	"strings"
	"testing"
)

// Of what runners said since an offset, the first line counts, however much follows it.
func TestWordsSince(t *testing.T) {
	t.Parallel()
	l := newFixture(t, "true")
	if line, next := wordsSince(l.Task, 0); line != "" || next != 0 {
		t.Errorf("without a file it is %q up to %d, want nothing", line, next)
	}
	say := func(words string) {
		f, err := l.Store.Append(wordsFile)
		l.ok(err)
		fmt.Fprint(f, words)
		l.ok(f.Close())
	}
	say("an earlier runner\n")
	_, heard := wordsSince(l.Task, 0)
	say("panic: a fault\n" + strings.Repeat("goroutine 1\n", 1000))
	line, next := wordsSince(l.Task, heard)
	if line != "panic: a fault" {
		t.Errorf("it is %q, want the first line after the earlier runner's", line)
	}
	if line, _ = wordsSince(l.Task, next); line != "" {
		t.Errorf("it is %q, want nothing more", line)
	}
}
