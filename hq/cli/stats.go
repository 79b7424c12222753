package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ferrus/checks"
	"ferrus/hq/project"
	"ferrus/hq/stats"
	"ferrus/store"
)

func statsCommand(std *streams) *cobra.Command {
	var asJSON, asHTML bool
	var since string
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what tasks took: time, check gates, reviews, tokens and cost, by agent",
		Long: `Adds up the open task and all archived ones: how many were completed, where their time
went, how often the first check gate passed, and what each agent used. It reads
journals and archives only. With --html it prints a self-contained page.`,
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
			printStats(std.out, r, std.columns)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object; times are in seconds")
	c.Flags().BoolVar(&asHTML, "html", false, "print an HTML page")
	c.Flags().StringVar(&since, "since", "", "only tasks since this age or day: 30d, 12h or 2026-11-01")
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
			continue // it has not started
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
		t := stats.Read(open.ID, e.Journal)
		if err := readFlaky(pr, &t, "checks"); err != nil {
			return nil, err
		}
		all = append(all, t)
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
			lines, err := pr.Store.ArchivedBrief(id)
			archived[i], infos[i] = stats.Read(id, lines), info
			return errors.Join(err, readFlaky(pr, &archived[i], path.Join("archive", id, "checks")))
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

// readFlaky adds the names of a task's flaky tests, from the records of its gates in a
// directory. Few tasks have any, and only those are read.
func readFlaky(pr *project.Task, t *stats.Task, dir string) error {
	if t.Flaky.Gates == 0 {
		return nil
	}
	e := evidence{Task: t.ID}
	if err := e.readGates(pr, dir); err != nil {
		return err
	}
	var records []checks.Record
	for _, g := range e.Gates {
		records = append(records, g.Record)
	}
	t.Flaky.Tests = stats.FlakyTests(records)
	return nil
}
