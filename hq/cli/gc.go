package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ferrus/hq/gate"
	"ferrus/hq/gc"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui/text"
)

func gcCommand(std *streams) *cobra.Command {
	g := &collection{streams: std}
	c := &cobra.Command{
		Use:   "gc",
		Short: "List what is no longer needed, and free it",
		Long: `Lists what ferrus keeps but no longer needs, with sizes, and asks before freeing it:

  gate       the gate's workspace and caches, while no task is open; the next gate
             recreates them
  worktree   a worktree of a task that has ended, if nothing would be lost
  ref        a commit below refs/ferrus that is older than 90 days, whose task is gone, or that
             a worker sent for a task that has landed
  record     a record of a project that has been gone for 30 days, or an expired code
  temporary  files that killed processes left behind

It keeps everything that belongs to an open task, a running process or another existing
project. Outside a project it lists only what belongs to no project.`,
		Example: "  ferrus gc\n  ferrus gc --dry-run\n  ferrus gc --yes",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return g.run(ctx)
		},
	}
	c.Flags().BoolVarP(&g.dry, "dry-run", "n", false, "only list what would be freed")
	c.Flags().BoolVar(&g.yes, "yes", false, "do not ask for confirmation")
	c.Flags().BoolVar(&g.asJSON, "json", false, "print one JSON object; needs --dry-run or --yes")
	return c
}

// collection is one run of ferrus gc.
type collection struct {
	*streams
	dry, yes, asJSON bool
}

// collected is what ferrus gc --json prints.
type collected struct {
	Items []gc.Item `json:"items"`
	Bytes int64     `json:"bytes"`
	Freed bool      `json:"freed"`
}

func (g *collection) run(ctx context.Context) error {
	if g.asJSON && !g.dry && !g.yes {
		return misuse("--json asks nothing", "add --dry-run or --yes")
	}
	pr, err := openCollected(g.dry)
	if err != nil {
		return err
	}
	o := gcOptions(pr)
	items, err := gc.Find(ctx, pr, o)
	if err != nil {
		return err
	}
	if !g.asJSON {
		g.print(items)
	}
	var failed error
	if !g.dry && len(items) > 0 {
		if err := g.agree(); err != nil {
			return err
		}
		if items, failed = gc.Free(ctx, pr, o, items); !g.asJSON {
			fmt.Fprintf(g.out, "freed: %s\n", gc.Size(gc.Sum(items)))
		}
	}
	if g.asJSON {
		c := collected{Items: append([]gc.Item{}, items...), Bytes: gc.Sum(items), Freed: !g.dry}
		failed = errors.Join(failed, writeJSON(g.out, c, ""))
	}
	return failed
}

// openCollected opens the enclosing project; nil where there is none.
func openCollected(dry bool) (pr *project.Task, err error) {
	if dry {
		pr, err = openProject()
	} else {
		pr, err = openAsHuman("gc")
	}
	if errors.Is(err, project.ErrNone) || errors.Is(err, store.ErrNone) {
		return nil, nil //nolint:nilnil // what belongs to no project can be freed anywhere
	}
	return pr, err
}

// gcOptions returns where things are kept on this machine.
func gcOptions(pr *project.Task) gc.Options {
	here, _ := os.Getwd() // Without it no project is there either.
	o := gc.Options{Lanes: gate.LanesDir(here), Temp: os.TempDir(), Now: time.Now()}
	if pr != nil {
		o.Lanes = pr.Lanes
	}
	if heads := store.UserHeads(); heads != "" {
		o.State = filepath.Dir(string(heads))
	}
	return o
}

func (g *collection) print(items []gc.Item) {
	if len(items) == 0 {
		fmt.Fprintln(g.out, "nothing to free")
		return
	}
	for _, i := range items {
		fmt.Fprintf(g.out, "%-9s  %8s  %s  %s\n%s\n", i.Kind, gc.Size(i.Bytes), i.Used.Local().Format(time.DateOnly),
			text.Sanitize(i.Name), "           "+text.Sanitize(i.Why))
	}
	fmt.Fprintf(g.out, "total      %8s\n", gc.Size(gc.Sum(items)))
}

// agree asks, unless it was answered before.
func (g *collection) agree() error {
	switch {
	case g.yes:
		return nil
	case !g.canAsk:
		return misuse("gc asks for confirmation, and there is no terminal to ask on", "run: ferrus gc --yes")
	case !g.confirm("free it?", false):
		return failure("nothing was freed")
	}
	return nil
}
