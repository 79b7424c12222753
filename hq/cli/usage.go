package cli

import (
	"fmt"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// taskUsage is the usage of a task's ended sessions: in total, by role, and each.
type taskUsage struct {
	core.TaskUsage
	Sessions []project.Ended `json:"sessions"`
}

// readUsage reads the usage of a task.
func readUsage(pr *project.Task, task string) (taskUsage, error) {
	sessions, err := pr.Ended(task)
	return taskUsage{TaskUsage: project.SumUsage(sessions), Sessions: sessions}, err
}

// usageRoles are the roles with a sum, in the order of output.
var usageRoles = []machine.Role{machine.Supervisor, machine.Executor}

// lines prints the total, then the sum of each role.
func (u taskUsage) lines(line func(name, format string, args ...any)) {
	if u.Total.Sessions == 0 {
		return
	}
	line("used", "%s", u.Total)
	for _, role := range usageRoles {
		if s := u.Roles[role]; s.Sessions > 0 {
			line("", "%s: %s", role, s)
		}
	}
}

// tables writes the sessions and the sums as Markdown.
func (u taskUsage) tables(b *strings.Builder) {
	b.WriteString("\n## Sessions\n\n")
	if len(u.Sessions) == 0 {
		b.WriteString("No session has ended yet.\n")
		return
	}
	b.WriteString("| Session | Agent | Mode | Started | Took | End | Tokens in | Cached | Out | Cost |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, e := range u.Sessions {
		in, cached, out, cost := usageCells(e.Usage)
		took := e.Ended.Sub(e.Started).Round(time.Second).String()
		row := []string{fmt.Sprintf("%s %d", e.Slot, e.Number), strings.TrimSpace(e.Agent + " " + e.Model),
			string(e.Mode), timestamp(e.Started), took, e.Exit, in, cached, out, cost}
		for i := range row {
			row[i] = cell(oneLine(row[i]))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintf(b, "\n- total: %s\n", u.Total)
	for _, role := range usageRoles {
		if s := u.Roles[role]; s.Sessions > 0 {
			fmt.Fprintf(b, "- %s: %s\n", role, s)
		}
	}
}

// usageCells returns the table cells of a session's usage.
func usageCells(u *core.Usage) (in, cached, out, cost string) {
	in, cached, out, cost = "unknown", "unknown", "unknown", "unknown"
	if u != nil && !u.Silent {
		in, cached, out = fmt.Sprint(u.Input), fmt.Sprint(u.Cached), fmt.Sprint(u.Output)
	}
	if u != nil && u.Cost != nil {
		cost = fmt.Sprintf("$%.4f", *u.Cost)
	}
	return in, cached, out, cost
}
