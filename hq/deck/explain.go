package deck

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/run"
	"ferrus/ui"
)

// clock words a time as somebody reads it now and here.
func clock(now time.Time) func(time.Time) string {
	return func(t time.Time) string {
		t = t.In(now.Location())
		if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
			return t.Format(time.TimeOnly)
		}
		return t.Format(time.DateTime)
	}
}

// explain is the long answer to "what is going on": where the task stands, the
// sessions, and then what is open.
func explain(v run.View, task string, now time.Time) string {
	var b strings.Builder
	stands, open, _ := strings.Cut(ui.CleanLines(strings.TrimSpace(task)), "\n\n")
	if v.Problem != "" {
		fmt.Fprintf(&b, "PROBLEM %s\n\n", ui.CleanLines(v.Problem))
	}
	fmt.Fprintf(&b, "%s\nproject     %s\nseq         %d\n", stands, ui.Clean(v.Project), v.State.Seq)
	if h := v.State.World.Hold; h != nil {
		fmt.Fprintf(&b, "held since  %s\n", clock(now)(h.Since))
	}
	if v.Gate.Log != "" {
		fmt.Fprintf(&b, "check log   %s\n", ui.Clean(v.Gate.Log))
	}
	for _, command := range v.Gate.Untrusted {
		fmt.Fprintf(&b, "not trusted %s\n", ui.Clean(command))
	}
	b.WriteString("\nSessions:\n")
	for _, p := range v.Panes {
		b.WriteString(explainSession(p, now))
	}
	if len(v.Panes) == 0 {
		b.WriteString("  none\n")
	}
	return b.String() + "\n" + open
}

// explainSession is a line for what the session is, and one for its process.
func explainSession(p run.PaneView, now time.Time) string {
	state, _ := session(p, now)
	facts := []string{fmt.Sprintf("%-10s  %s", p.Slot, ui.Clean(strings.TrimSpace(p.Agent+" "+p.Model))), fmt.Sprintf("session %d", p.Session), state}
	if end := footer(p); end != "" {
		facts = append(facts, end)
	}
	if p.TotalErrors > 0 {
		facts = append(facts, fmt.Sprintf("errors %d in a row, %d in all", p.Errors, p.TotalErrors))
	}
	var process []string
	if p.PID != 0 {
		process = append(process, fmt.Sprintf("pid %d", p.PID))
	}
	if p.Log != "" {
		process = append(process, "log .ferrus/"+ui.Clean(p.Log))
	}
	text := "  " + strings.Join(facts, ", ") + "\n"
	if len(process) > 0 {
		text += strings.Repeat(" ", 14) + strings.Join(process, ", ") + "\n"
	}
	return text
}
