package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"ferrus/hq/project"
	"ferrus/store"
)

func logCommand(std *streams) *cobra.Command {
	var asJSON, follow, graph bool
	var last int
	c := &cobra.Command{
		Use:   "log",
		Short: "Show the journal: every event and who caused it",
		Long: `Shows the journal, oldest first: one line for every accepted event. With --follow it
keeps printing new events until Ctrl+C. With --graph it shows instead what landed on which
branch: in which batch, on which trees, and why something did not; with --task, the batches
of that task.`,
		Example: "  ferrus log -n 20\n  ferrus log --follow\n  ferrus log --graph\n  ferrus log --json | jq .event",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			if graph {
				return showLandings(std, last)
			}
			return runLog(ctx, std, asJSON, follow, last)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per line, as in .ferrus/journal.jsonl")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "keep printing new events")
	c.Flags().BoolVar(&graph, "graph", false, "show what the merge queues did")
	c.MarkFlagsMutuallyExclusive("graph", "json")
	c.MarkFlagsMutuallyExclusive("graph", "follow")
	c.Flags().IntVarP(&last, "lines", "n", 0, "print only the last `n` lines")
	return taskFlag(std, c)
}

func runLog(ctx context.Context, std *streams, asJSON, follow bool, last int) error {
	pr, err := std.chosen(openProject())
	if err != nil {
		return err
	}
	j := &journalPrinter{out: std.out, json: asJSON}
	lines, err := pr.Store.Journal(0)
	if err != nil {
		return err
	}
	if len(lines) == 0 && !follow && !asJSON {
		fmt.Fprintln(std.err, "the journal has no entries; a workflow has its own: ferrus workflow show")
		if std.present != nil {
			std.hint(inQueue(pr))
		}
	}
	if last > 0 && len(lines) > last {
		lines = lines[len(lines)-last:]
	}
	if err := j.write(lines); err != nil || !follow {
		return err
	}
	return j.follow(ctx, pr)
}

// journalPrinter prints lines of the journal.
type journalPrinter struct {
	out  io.Writer
	json bool
	day  string // of the last line
	seen uint64 // its seq
}

// follow prints new lines until the context ends or the state cannot be read.
func (j *journalPrinter) follow(ctx context.Context, pr *project.Task) error {
	changed, err := pr.Store.Watch(ctx)
	if err != nil {
		return err
	}
	for range changed {
		state, err := pr.World()
		if err != nil {
			return err
		}
		if state.Seq < j.seen {
			j.seen = 0 // another .ferrus
		}
		lines, err := pr.Store.Journal(j.seen)
		if err != nil {
			return err
		}
		if err := j.write(lines); err != nil {
			return err
		}
	}
	return interruption("")
}

func (j *journalPrinter) write(lines []store.Entry) error {
	for _, l := range lines {
		if err := j.printLine(l); err != nil {
			return fmt.Errorf("write the journal: %w", err)
		}
		j.seen = l.Seq
	}
	return nil
}

func (j *journalPrinter) printLine(l store.Entry) error {
	if j.json {
		return writeJSON(j.out, l, "")
	}
	if d := l.At.Local().Format("Monday, 2 January 2006"); d != j.day {
		if _, err := fmt.Fprintln(j.out, d); err != nil {
			return err
		}
		j.day = d
	}
	_, err := fmt.Fprintf(j.out, "%6d  %s\n", l.Seq, journalLine(l))
	return err
}
