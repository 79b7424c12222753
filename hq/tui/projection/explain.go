package projection

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/ui/text"
)

// explain returns the long answer for /status: the state of the task, its sessions, and
// what can be done now.
func explain(v conductor.View, task string, now time.Time) string {
	var b strings.Builder
	stands, open, _ := strings.Cut(text.SanitizeLines(strings.TrimSpace(task)), "\n\n")
	if v.StateError != "" {
		fmt.Fprintf(&b, "PROBLEM %s\n\n", text.SanitizeLines(v.StateError))
	}
	fmt.Fprintf(&b, "%s\n", stands)
	if why := project.LastTransition(v.Journal, timeOfDay(now)); why != "" {
		fmt.Fprintf(&b, "because     %s\n", text.Sanitize(why))
	}
	fmt.Fprintf(&b, "source      %s/.ferrus/STATE.json, seq %d\n", text.Sanitize(v.Project), v.State.Seq)
	if w := v.Workflow; w != nil {
		fmt.Fprintf(&b, "workflow    %s %s: %s since %s\n", w.Type, text.Sanitize(w.Title), w.Phase,
			timeOfDay(now)(w.Since))
	}
	if h := v.State.World.Hold; h != nil {
		fmt.Fprintf(&b, "held since  %s\n", timeOfDay(now)(h.Since))
	}
	if v.Gate.Log != "" {
		fmt.Fprintf(&b, "check log   %s\n", text.Sanitize(v.Gate.Log))
	}
	for _, command := range v.Gate.Untrusted {
		fmt.Fprintf(&b, "untrusted   %s\n", text.Sanitize(command))
	}
	if len(v.Gate.Untrusted) > 0 {
		b.WriteString("            nothing starts until you trust them with /trust\n")
	}
	b.WriteString(explainUsage(v.Used))
	if v.Disk > 0 {
		fmt.Fprintf(&b, "disk        %s\n", diskUse(v.Disk))
	}
	b.WriteString("\nSessions:\n")
	for _, p := range v.Panes {
		b.WriteString(explainSession(p, v.Sessions, now))
	}
	if len(v.Panes) == 0 {
		b.WriteString("  none\n")
	}
	for _, d := range v.Daemons {
		fmt.Fprintf(&b, "  daemon      %s\n", text.Sanitize(d))
	}
	return b.String() + "\n" + open
}

// diskUse says how much disk the sessions of the task use.
func diskUse(bytes int64) string {
	return fmt.Sprintf("%d MB in private homes and caches of the task's sessions", (bytes+1<<20-1)>>20)
}

// explainUsage says what the ended sessions of the task used.
func explainUsage(t core.TaskUsage) string {
	if t.Total.Short() == "" { // nothing was reported
		return ""
	}
	text := fmt.Sprintf("used        %s\n", t.Total)
	for _, role := range []machine.Role{machine.Supervisor, machine.Executor} {
		if s := t.Roles[role]; s.Short() != "" {
			text += fmt.Sprintf("            %-10s  %s\n", role, s.Short())
		}
	}
	return text
}

// sessionUsage says what one session used; nothing while it runs.
func sessionUsage(p conductor.PaneView, ended []project.Ended) string {
	for _, e := range ended {
		if e.Slot == p.Slot && e.Number == p.Session {
			var s core.UsageTotal
			s.Add(e.Usage)
			return s.Short()
		}
	}
	return ""
}

// explainSession writes a line for what the session is, and one for its process.
func explainSession(p conductor.PaneView, ended []project.Ended, now time.Time) string {
	state, _ := sessionState(p, now)
	facts := []string{
		fmt.Sprintf("%-10s  %s", p.Slot, text.Sanitize(strings.TrimSpace(p.Agent+" "+p.Model))),
		fmt.Sprintf("session %d", p.Session), state,
	}
	if end := footer(p); end != "" {
		facts = append(facts, end)
	}
	if used := sessionUsage(p, ended); used != "" {
		facts = append(facts, used)
	}
	if p.TotalErrors > 0 {
		facts = append(facts, fmt.Sprintf("errors %d in a row, %d in total", p.Errors, p.TotalErrors))
	}
	s := "  " + strings.Join(facts, ", ") + "\n"
	if p.LastEvent != "" {
		s += fmt.Sprintf("%s%s since %s, by %s\n", strings.Repeat(" ", 14), p.State,
			timeOfDay(now)(p.Since), p.LastEvent)
	}
	var process []string
	if p.PID != 0 {
		process = append(process, fmt.Sprintf("pid %d", p.PID))
	}
	if p.Log != "" {
		process = append(process, "log .ferrus/"+text.Sanitize(p.Log))
	}
	if len(process) > 0 {
		s += strings.Repeat(" ", 14) + strings.Join(process, ", ") + "\n"
	}
	return s
}
