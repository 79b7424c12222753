package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/stats"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func statsCommand(std *streams) *cobra.Command {
	var asJSON, asHTML bool
	var since string
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what tasks took: time, check gates, reviews, tokens and cost, by agent",
		Long: `Adds up the open task and all archived ones: how many were completed, where their time
went, how often the first check gate passed, and what each agent used. It reads
journals and archives only. With --html it prints a page of its own, which loads nothing.`,
		Example: "  ferrus stats --since 30d\n  ferrus stats --since 2026-11-01 --json | jq '.agents[]'\n" +
			"  ferrus stats --html > stats.html",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && asHTML {
				return usageError(cmd, "--json and --html exclude each other")
			}
			now := time.Now()
			from, err := sinceTime(since, now)
			if err != nil {
				return usageError(cmd, err.Error())
			}
			pr, err := openProject()
			if err != nil {
				return err
			}
			r, err := readStats(pr, from, now)
			if err != nil {
				return err
			}
			if asJSON {
				return std.printJSON(r)
			}
			if asHTML {
				_, err := fmt.Fprint(std.out, statsHTML(filepath.Base(pr.Dir), r, now))
				return err
			}
			printStats(std.out, r)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object; times are in seconds")
	c.Flags().BoolVar(&asHTML, "html", false, "print an HTML page")
	c.Flags().StringVar(&since, "since", "", "only tasks since then: 30d, 12h or 2026-11-01")
	return c
}

// sinceTime returns the time that --since names: an age in days or hours, or a day.
func sinceTime(since string, now time.Time) (time.Time, error) {
	if since == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, since, time.Local); err == nil {
		return day, nil
	}
	if days, ok := strings.CutSuffix(since, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if age, err := time.ParseDuration(since); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("--since is %q, but must be an age or a day, such as 30d, 12h or 2026-11-01", since)
}

// readStats reads the tasks and the ended sessions of the project, from all of its records.
func readStats(pr *project.Task, since, now time.Time) (stats.Report, error) {
	dirs, err := pr.TaskDirs()
	if err != nil {
		return stats.Report{}, err
	}
	var tasks []stats.Task
	var sessions []stats.Session
	for _, dir := range append(dirs, "") {
		of, err := pr.OpenTask(dir)
		if errors.Is(err, store.ErrNone) {
			continue // it has not begun
		}
		if err != nil {
			return stats.Report{}, err
		}
		own, err := readTasks(of, since)
		if err != nil {
			return stats.Report{}, err
		}
		ended, err := of.Ended("")
		if err != nil {
			return stats.Report{}, err
		}
		tasks = append(tasks, own...)
		for _, e := range ended {
			sessions = append(sessions, stats.Session{Agent: stats.Agent{Name: e.Agent, Model: e.Model}, Role: e.Role,
				Task: e.Task, Ended: e.Ended, Usage: e.Usage})
		}
	}
	return stats.Sum(tasks, sessions, since, now), nil
}

// readTasks reads the open task and the archived ones that may have begun since then, by
// as many goroutines as there are processors: each archive is a file of its own.
func readTasks(pr *project.Task, since time.Time) ([]stats.Task, error) {
	ids, err := archivedIDs(pr)
	if err != nil {
		return nil, err
	}
	state, err := pr.World()
	if err != nil {
		return nil, err
	}
	var all []stats.Task
	if open := state.World.Task; open != nil {
		e := evidence{Task: open.ID}
		if err := e.readTask(pr); err != nil {
			return nil, err
		}
		all = append(all, stats.Read(open.ID, e.Journal))
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == open.ID })
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		at, ok := creationTime(id)
		return ok && at.Before(since.Add(-time.Hour)) // the id has whole seconds, and clocks differ
	})
	archived, err := readArchivedTasks(pr, ids)
	return append(all, archived...), err
}

// readArchivedTasks reads what archived tasks took: their journals, or what is kept of
// journals that were read before.
func readArchivedTasks(pr *project.Task, ids []string) ([]stats.Task, error) {
	cache := readStatsCache(pr)
	archived, infos := make([]stats.Task, len(ids)), make([]os.FileInfo, len(ids))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, id := range ids {
		g.Go(func() error {
			kept, info, ok := cache.lookup(pr, id)
			if ok {
				archived[i] = kept
				return nil
			}
			lines, err := pr.Store.Archived(id)
			archived[i], infos[i] = stats.Read(id, lines), info
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, info := range infos {
		if info != nil {
			cache.Tasks[ids[i]] = cachedTask{info.Size(), info.ModTime().UnixNano(), archived[i]}
			cache.changed = true
		}
	}
	if cache.changed {
		all, err := archivedIDs(pr)
		if err != nil {
			return nil, err
		}
		cache.save(pr, all)
	}
	return archived, nil
}

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

// printStats prints the totals, where the time went, and a line per agent and role.
func printStats(out io.Writer, r stats.Report) {
	if r.Tasks == 0 && r.Used.Sessions == 0 {
		fmt.Fprintln(out, "no task since then")
		return
	}
	fmt.Fprintf(out, "%s: %d complete, %d of them landed, %d failed\n", text.Count(r.Tasks, "task"), r.Complete,
		r.Landed, r.Failed)
	fmt.Fprintf(out, "last %d weeks: %s\n", len(r.Weeks), sparkline(r.Weeks))
	printTimes(out, r.Sums)
	fmt.Fprintf(out, "\n%-26s %-11s %5s %11s %10s %10s %9s %9s\n", "agent", "role", "tasks", "first green",
		"gates/task", "rejections", "tokens", "cost")
	for _, row := range r.Rows {
		fmt.Fprintf(out, "%s %-11s %5d %11s %10s %10d %9s %9s\n",
			text.Fit(text.Sanitize(row.String()), 26), row.Role, row.Tasks,
			percent(row.FirstGreen, row.Checked), ratio(row.Gates, row.Checked), row.Rejections,
			tokens(row.Used), cost(row.Used.Cost, row.Used))
	}
	if r.Landed > 0 && r.Used.Unpriced < r.Used.Sessions {
		fmt.Fprintf(out, "\ncost per landed task: %s\n", cost(r.Used.Cost/float64(r.Landed), r.Used))
	}
	if r.Flaky > 0 {
		fmt.Fprintf(out, "\n%s passed on a tree on which it had failed: a test may be flaky\n",
			text.Count(r.Flaky, "gate"))
	}
	if r.Used.Silent+r.Used.Unpriced > 0 {
		fmt.Fprintln(out, "\n+ some sessions did not report it")
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
			rounded(time.Duration(took[i]*float64(time.Second))))
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
