package projection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/checks"
	"ferrus/hq/conductor/gateview"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

// shownLines bounds the output of a gate that is handed to the screen.
const shownLines = 200

// marks are the statuses of a check command as the screen shows them.
var marks = map[gateview.Status]struct {
	word string
	tone style.Tone
}{
	"":               {"..", style.Dim},
	gateview.Running: {"run", style.Busy},
	gateview.OK:      {"ok", style.Good},
	gateview.Fail:    {"FAIL", style.Bad},
	gateview.Timeout: {"TIME", style.Bad},
}

// check returns a gate as the screen shows it.
func check(g gateview.View, now time.Time) view.Check {
	c := view.Check{
		Title: fmt.Sprintf("check %d", g.Attempt), Why: text.Sanitize(g.Why), Log: text.Sanitize(g.Log),
		Took: seconds(g.Took), Progress: gateProgress(g, now),
	}
	if g.Attempt == 0 {
		c.Title = cmp.Or(g.Of, "check")
	}
	passed := 0
	for _, r := range gateRows(g) {
		m, ok := marks[r.Status]
		if !ok {
			m.word = text.Sanitize(string(r.Status))
		}
		if r.Status == gateview.OK {
			passed++
		}
		if r.Status == gateview.Running && !r.Started.IsZero() {
			r.Took = now.Sub(r.Started).Truncate(time.Second)
		}
		c.Rows = append(c.Rows, view.CheckRow{
			Mark: m.word, Tone: m.tone, Command: text.Sanitize(r.Command), Detail: text.Sanitize(r.Detail),
			Took: seconds(r.Took), Share: shareOfLast(r),
		})
	}
	if slices.ContainsFunc(g.Rows, failed) || strings.HasPrefix(c.Why, string(checks.Pass)+": ") {
		c.Why = "" // the rows say it
	}
	c.Lines = gateOutput(g)
	switch {
	case g.Running && len(g.Setup) > 0:
		c.State, c.Tone = fmt.Sprintf("setup %d/%d", passed, len(g.Setup)), style.Busy
		c.Took = seconds(now.Sub(g.Started).Truncate(time.Second))
	case g.Running && g.Ahead > 0:
		c.State, c.Tone = "waits for "+gates(g.Ahead), style.Warn
	case g.Running:
		if passed == len(g.Rows) && passed > 0 && c.Why == "" && g.Of == "" {
			c.Why = "the commands passed; now ferrus verifies the tests"
		}
		c.State, c.Tone = fmt.Sprintf("running %d/%d", passed, len(g.Rows)), style.Busy
		c.Took = seconds(now.Sub(g.Started).Truncate(time.Second))
	case g.Verdict != "":
		c.State, c.Tone = gateVerdict(g), style.Bad
		switch g.Verdict {
		case checks.Pass:
			c.Tone = style.Good
		case checks.Flaky:
			c.Tone = style.Warn
		}
	}
	return c
}

// gates counts gates in words.
func gates(n int) string {
	if n == 1 {
		return "1 gate"
	}
	return fmt.Sprintf("%d gates", n)
}

// gateVerdict returns how a gate ended, and how many commands did not pass where some did not.
func gateVerdict(g gateview.View) string {
	all, red := len(g.Rows), 0
	for _, r := range g.Rows {
		if failed(r) {
			red++
		}
	}
	switch {
	case g.Verdict == checks.Pass:
		return fmt.Sprintf("PASS %d/%d", all-red, all)
	case red > 0 && all > 1:
		return fmt.Sprintf("%s %d of %d failed", g.Verdict, red, all)
	}
	return string(g.Verdict)
}

// gateRows returns the commands: in their order while they run, so that none jumps, and
// failed ones first once all have ended. Setup commands run alone, before the others.
func gateRows(g gateview.View) []gateview.Row {
	switch {
	case g.Running && len(g.Setup) > 0:
		return slices.DeleteFunc(slices.Clone(g.Setup), func(r gateview.Row) bool { return r.Command == "" })
	case g.Running:
		return g.Rows
	}
	rows := slices.Clone(g.Rows)
	slices.SortStableFunc(rows, func(a, b gateview.Row) int {
		switch {
		case failed(a) == failed(b):
			return 0
		case failed(a):
			return -1
		}
		return 1
	})
	return rows
}

func failed(r gateview.Row) bool {
	return r.Status == gateview.Fail || r.Status == gateview.Timeout
}

// slower is how much longer than last time a command must take for that to mean
// anything: short commands always differ.
const slower = time.Second

// shareOfLast returns how much of its last time a command has taken, in percent.
func shareOfLast(r gateview.Row) int {
	switch {
	case r.Last <= 0 || r.Took <= 0:
		return 0
	case r.Took > r.Last && r.Took-r.Last < slower:
		return 100
	}
	return max(int(min(r.Took*100/r.Last, 999)), 1)
}

// gateOutput returns what the commands print while they run, and once they have ended
// what the failed ones printed.
func gateOutput(g gateview.View) (lines []string) {
	all := g.Lines
	if !g.Running {
		if failures := failedOutput(g); len(failures) > 0 {
			all = failures
		}
	}
	for _, l := range all[max(len(all)-shownLines, 0):] {
		lines = append(lines, text.Sanitize(l))
	}
	return lines
}

// failedOutput returns what the failed commands printed, as the agent gets it.
func failedOutput(g gateview.View) (all []string) {
	var names []string
	var outputs [][]string
	for _, r := range g.Rows {
		if failed(r) && len(r.Tail) > 0 {
			names, outputs = append(names, r.Command), append(outputs, r.Tail)
		}
	}
	for i, lines := range checks.Excerpts(outputs, cmp.Or(g.FeedbackLines, shownLines)) {
		all = append(append(all, "$ "+names[i]), lines...)
	}
	return all
}
