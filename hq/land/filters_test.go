package land

import (
	"strings"
	"testing"
)

// A file that a checkout has with other line ends than its commit was not changed before the task.
func TestLineEndsAreNoChange(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here")
	l.git("config", "core.autocrlf", "true")
	put(t, l.Dir, "a.txt", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\r\n")
	l.startTask()
	put(t, l.Dir, "a.txt", "1\r\n2\r\n")
	l.approve()
	if _, err := l.land(Options{}); err != nil {
		t.Fatal(err)
	}
}

// A file whose filter ferrus does not run never lands as the checkout has it: it may be a secret there.
func TestAFilteredFileDoesNotLand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here")
	l.git("config", "filter.crypt.clean", "tr a-z A-Z")
	l.git("config", "filter.crypt.smudge", "tr A-Z a-z")
	put(t, l.Dir, ".gitattributes", "*.secret filter=crypt\n")
	put(t, l.Dir, "one.secret", "word\n")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "secret")
	l.startTask().work().approve()
	before := l.git("rev-parse", "main")
	for _, o := range []Options{{}, {Changes: true}} {
		if _, err := l.land(o); err == nil || !strings.Contains(err.Error(), "does not run: one.secret") {
			t.Errorf("with changes %v: %v, want a refusal that names one.secret", o.Changes, err)
		}
	}
	if l.git("rev-parse", "main") != before || l.git("show", "main:one.secret") != "WORD" {
		t.Error("something landed")
	}
}
