package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/hq/core"
	"ferrus/hq/stats"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/ui/text"
)

// statsStates are the states whose time is shown, with the words for them.
var statsStates = []struct {
	words  string
	states []machine.State
}{
	{"working", []machine.State{task.Executing, task.Addressing}},
	{"consulting", []machine.State{task.Consultation}},
	{"checking", []machine.State{task.Checking}},
	{"reviewing", []machine.State{task.Reviewing}},
	{"waiting for you", []machine.State{task.AwaitingHuman}},
}

// barWidth is the width of the longest bar, in cells.
const barWidth = 24

// printStats prints the totals, where the time went, and what each agent did in each role,
// as tables where so many columns have room for them. 0 columns have.
func printStats(out io.Writer, r stats.Report, columns int) {
	if r.Tasks == 0 && r.Used.Sessions == 0 {
		fmt.Fprintln(out, "no task since then")
		return
	}
	fmt.Fprintf(out, "%s: %d complete, %d of them landed, %d failed\n", text.Count(r.Tasks, "task"), r.Complete,
		r.Landed, r.Failed)
	fmt.Fprintf(out, "last %d weeks: %s\n", len(r.Weeks), sparkline(r.Weeks))
	printTimes(out, r.Sums)
	if columns > 0 && columns < agentTableColumns {
		printAgentsNarrow(out, r.Rows)
	} else {
		printAgentTables(out, r.Rows)
	}
	if r.CostPerLanded != nil {
		fmt.Fprintf(out, "\ncost per landed task: %s\n", cost(*r.CostPerLanded, r.Used))
	}
	printFlaky(out, r.Sums)
	if slices.ContainsFunc(r.Rows, func(row stats.Row) bool { return isPartial(row.Used) }) || isPartial(r.Used) &&
		r.CostPerLanded != nil {
		fmt.Fprintln(out, "\n+ more: some sessions did not report it")
	}
}

// isPartial reports whether some of the sessions reported what they used, and some did not.
func isPartial(u core.UsageTotal) bool {
	return u.Silent > 0 && u.Silent < u.Sessions || u.Unpriced > 0 && u.Unpriced < u.Sessions
}

// agentTableColumns is the width of the widest of the agents' tables.
const agentTableColumns = 106

// printAgentTables prints a table of what the agents did, and one of the time it took.
func printAgentTables(out io.Writer, rows []stats.Row) {
	fmt.Fprintf(out, "\n%-24s %-10s %5s %11s %10s %10s %9s %9s %10s\n", "agent", "role", "tasks", "first green",
		"gates/task", "rejections", "tokens", "cost", "per landed")
	name := func(row stats.Row) string { return text.Fit(text.Sanitize(row.String()), 24) }
	for _, row := range rows {
		fmt.Fprintf(out, "%s %-10s %5d %11s %10s %10d %9s %9s %10s\n", name(row), role(row), row.Tasks,
			percent(row.FirstGreen, row.Checked), ratio(row.Gates, row.Checked), row.Rejections,
			tokens(row.Used), cost(row.Used.Cost, row.Used), costPerLanded(row))
	}
	fmt.Fprintf(out, "\n%-24s %-10s %10s %10s %10s %10s %10s %9s %5s\n", "time", "role", "working", "consulting",
		"checking", "reviewing", "for you", "questions", "flaky")
	for _, row := range rows {
		fmt.Fprintf(out, "%s %-10s", name(row), role(row))
		took, _ := timesOf(row.Sums)
		for _, t := range took {
			fmt.Fprintf(out, " %10s", spent(t))
		}
		fmt.Fprintf(out, " %9d %5d\n", row.Asked, row.Flaky)
	}
}

// role returns the role of a row, which a record of sessions names.
func role(row stats.Row) string { return text.Sanitize(string(row.Role)) }

// printAgentsNarrow prints the same in lines of at most 40 columns.
func printAgentsNarrow(out io.Writer, rows []stats.Row) {
	for _, row := range rows {
		fmt.Fprintf(out, "\n%s\n%s, %s\n", text.Sanitize(row.String()), role(row), text.Count(row.Tasks, "task"))
		line := func(name, value string) {
			if value != "-" && value != "0" {
				fmt.Fprintf(out, "  %-21s %s\n", name, value)
			}
		}
		line("first gate passed", percent(row.FirstGreen, row.Checked))
		line("gates per task", ratio(row.Gates, row.Checked))
		line("rejections", strconv.Itoa(row.Rejections))
		took, _ := timesOf(row.Sums)
		for i, kind := range statsStates {
			line(kind.words, spent(took[i]))
		}
		line("questions to you", strconv.Itoa(row.Asked))
		line("tokens", tokens(row.Used))
		line("cost", cost(row.Used.Cost, row.Used))
		line("cost per landed task", costPerLanded(row))
		line("flaky gates", strconv.Itoa(row.Flaky))
	}
}

// flakyShown bounds the names of flaky tests.
const flakyShown = 10

// printFlaky prints what passed on a tree on which it had failed, the most frequent first.
func printFlaky(out io.Writer, s stats.Sums) {
	if s.Flaky == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s passed on a tree where it had failed: a test may be flaky\n", text.Count(s.Flaky, "gate"))
	names := s.FlakyNames()
	for _, name := range names[:min(len(names), flakyShown)] {
		fmt.Fprintf(out, "  %s, in %s\n", text.Sanitize(name), text.Count(s.FlakyTests[name], "task"))
	}
	if more := len(names) - flakyShown; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

// printTimes prints a bar for each kind of work, as long as its share of the longest.
func printTimes(out io.Writer, s stats.Sums) {
	took, longest := timesOf(s)
	if longest > 0 {
		fmt.Fprintln(out)
	}
	for i, kind := range statsStates {
		if took[i] == 0 {
			continue
		}
		bar := strings.Repeat("█", max(1, int(math.Round(barWidth*took[i]/longest))))
		fmt.Fprintf(out, "%-16s %s %s\n", kind.words, text.Fit(bar, barWidth),
			spent(took[i]))
	}
}

// timesOf returns the seconds of each of statsStates, and the most of them.
func timesOf(s stats.Sums) (took []float64, longest float64) {
	took = make([]float64, len(statsStates))
	for i, kind := range statsStates {
		for _, state := range kind.states {
			took[i] += s.Seconds[state]
		}
	}
	return took, slices.Max(took)
}

// sparkline draws numbers as bars of one cell; a number above 0 is never an empty cell.
func sparkline(numbers []int) string {
	const levels = " ▁▂▃▄▅▆▇█"
	bars, most := []rune(levels), max(1, slices.Max(numbers))
	var b strings.Builder
	for _, n := range numbers {
		level := n * (len(bars) - 1) / most
		if n > 0 {
			level = max(level, 1)
		}
		b.WriteRune(bars[level])
	}
	return b.String()
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", (100*n+of/2)/of)
}

func ratio(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(n)/float64(of))
}

// tokens and cost mark with a plus what only some of the sessions reported.
func tokens(u core.UsageTotal) string {
	switch {
	case u.Silent >= u.Sessions:
		return "-"
	case u.Silent > 0:
		return core.FormatCount(u.Tokens()) + "+"
	}
	return core.FormatCount(u.Tokens())
}

func cost(dollars float64, u core.UsageTotal) string {
	switch {
	case u.Unpriced >= u.Sessions:
		return "-"
	case u.Unpriced > 0:
		return fmt.Sprintf("$%.2f+", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// costPerLanded returns a hyphen where it is not known.
func costPerLanded(r stats.Row) string {
	if r.CostPerLanded == nil {
		return "-"
	}
	return cost(*r.CostPerLanded, r.Used)
}

// spent formats seconds; a hyphen for none.
func spent(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	return rounded(time.Duration(seconds * float64(time.Second)))
}
