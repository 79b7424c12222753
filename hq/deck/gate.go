package deck

import (
	"fmt"
	"time"

	"ferrus/hq"
	"ferrus/hq/run"
	"ferrus/ui"
)

// shownLines bounds the output of a gate that is handed to the screen.
const shownLines = 200

// marks are the statuses of a check command as the screen shows them.
var marks = map[string]struct {
	word string
	tone ui.Tone
}{
	"":        {"..", ui.Dim},
	"running": {"run", ui.Busy},
	"ok":      {"ok", ui.Good},
	"FAIL":    {"FAIL", ui.Bad},
	"TIMEOUT": {"TIME", ui.Bad},
}

func check(g run.GateView, now time.Time) ui.Check {
	c := ui.Check{Title: fmt.Sprintf("check %d", g.Attempt), Why: ui.Clean(g.Why), Log: ui.Clean(g.Log), Took: took(g.Took)}
	if g.Attempt == 0 {
		c.Title = "check"
	}
	passed := 0
	for _, r := range g.Rows {
		m, ok := marks[r.Status]
		if !ok {
			m.word = ui.Clean(r.Status)
		}
		if r.Status == "ok" {
			passed++
		}
		c.Rows = append(c.Rows, ui.CheckRow{Mark: m.word, Tone: m.tone, Command: ui.Clean(r.Command), Detail: ui.Clean(r.Detail), Took: took(r.Took)})
	}
	for _, l := range g.Lines[max(len(g.Lines)-shownLines, 0):] {
		c.Lines = append(c.Lines, ui.Clean(l))
	}
	count := fmt.Sprintf(" %d/%d", passed, len(g.Rows))
	switch {
	case g.Running:
		c.State, c.Tone, c.Took = "running"+count, ui.Busy, took(now.Sub(g.Started).Truncate(time.Second))
	case g.Verdict != "":
		c.State, c.Tone = string(g.Verdict)+count, ui.Bad
		if g.Verdict == hq.Pass {
			c.Tone = ui.Good
		}
	}
	return c
}
