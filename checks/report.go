package checks

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// What may be said at most.
const (
	reportBytes = 64 << 10
	whyBytes    = 300
	movedNames  = 5
)

// judge sets the verdict. Why is the reason that nothing is proven, if there is one.
func (r *run) judge(ctx context.Context, why string) {
	rec := &r.record
	failed, timed := rec.failing()
	switch {
	case ctx.Err() != nil:
		rec.Verdict, rec.Why = Cancelled, "cancelled"
	case why != "":
		rec.Verdict, rec.Why = Unproven, why
	case len(rec.Commands) == 0:
		rec.Verdict, rec.Why, rec.Allowed = Unproven, "there are no check commands", r.AllowNone
	case len(failed) > 0:
		rec.Verdict, rec.Why = Fail, strings.Join(append(failed, timed...), ", ")
	case len(timed) > 0:
		rec.Verdict, rec.Why = Timeout, strings.Join(timed, ", ")+" took too long and was stopped"
	default:
		rec.Verdict, rec.Why = Pass, rec.passed()
	}
	rec.Why = shorten(string(rec.Verdict)+": "+oneLine(rec.Why), whyBytes)
}

// passed words a pass: how much ran, how many tests there were.
func (r Record) passed() string {
	text := fmt.Sprintf("%d of %d commands in %v", len(r.Commands), len(r.Commands), spent(r.Commands))
	if tests := r.Tests(); tests != nil {
		text += ", " + tests.String()
	}
	return text
}

func (r Record) failing() (failed, timed []string) {
	for _, c := range r.Commands {
		switch {
		case c.TimedOut:
			timed = append(timed, oneLine(c.Title()))
		case !c.OK():
			failed = append(failed, oneLine(c.Title()))
		}
	}
	return failed, timed
}

func spent(results []Result) (sum time.Duration) {
	for _, r := range results {
		sum += r.Duration
	}
	return sum.Round(10 * time.Millisecond)
}

// JoinPaths returns a list of paths in one line, the first few by name.
func JoinPaths(paths []string) string {
	shown := make([]string, 0, movedNames)
	for _, path := range paths[:min(len(paths), movedNames)] {
		shown = append(shown, oneLine(path))
	}
	text := strings.Join(shown, ", ")
	if more := len(paths) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Report returns the record in words for an agent: how each failing command ended, its
// first failing test and its last lines. It has at most so many lines of output, and 64
// KiB.
func (r Record) Report(maxLines int) string {
	var b strings.Builder
	b.WriteString(r.headline())
	if len(r.Moved) > 0 {
		fmt.Fprintf(&b, "\nthe checks changed these files, in their own copy of the tree: %s\n", JoinPaths(r.Moved))
	}
	if len(r.Absent) > 0 {
		fmt.Fprintf(&b, "\nThe checks run on a clean copy of the tree, without files that git ignores: %s. "+
			"If they need "+
			"these, [checks] setup in ferrus.toml must create them; an edit takes effect with the next task.\n",
			JoinPaths(r.Absent))
	}
	var failing []Result
	var outputs [][]string
	for _, c := range r.Commands {
		if c.OK() && c.Tests != nil {
			fmt.Fprintf(&b, "- `%s`: %s\n", shorten(oneLine(c.Title()), whyBytes), c.Tests)
		}
		if !c.OK() {
			failing, outputs = append(failing, c), append(outputs, c.Tail)
			fmt.Fprintf(&b, "- `%s`: %s\n", shorten(oneLine(c.Title()), whyBytes), c.account())
		}
	}
	for i, lines := range Excerpts(outputs, maxLines) {
		failing[i].report(&b, lines, (reportBytes-4<<10)/len(failing))
	}
	return shorten(b.String(), reportBytes)
}

func (r Record) headline() string {
	switch r.Verdict {
	case Pass:
		return "checks passed\n"
	case Fail, Timeout:
		return "checks failed\n\n"
	}
	return "checks: " + r.Why + "\n\n"
}

// report writes the excerpt of a failed command's output, within a room of bytes.
func (r Result) report(b *strings.Builder, lines []string, room int) {
	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += len(lines[i]) + 1; size > room-whyBytes-200 {
			lines = lines[i+1:]
			break
		}
	}
	fmt.Fprintf(b, "\n%s", shorten(oneLine(r.Command), whyBytes))
	if len(lines) < r.Lines {
		fmt.Fprintf(b, " (last %d of %d lines)", len(lines), r.Lines)
	}
	text := strings.Join(lines, "\n")
	fence := fenceFor(text)
	fmt.Fprintf(b, "\n%s\n%s\n%s\n", fence, text, fence)
}

// fenceFor is longer than every run of backquotes in the text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}
