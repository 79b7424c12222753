package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/hq/worktree"
	"ferrus/ui/text"
)

func worktreeCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "worktree",
		Short:   "List the work trees of tasks, and take one away",
		Long:    "Lists the work trees below .ferrus/worktrees, whose task each is, and what would be\nlost with it.",
		Example: "  ferrus worktree\n  ferrus worktree remove t-20261120-101500-4f2a",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWorktrees(cmd.Context(), std, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "the same as a list of objects")
	c.AddCommand(worktreeRemoveCommand(std))
	return c
}

// worktreeRow is one work tree as it is listed.
type worktreeRow struct {
	Task   string   `json:"task"`
	Branch string   `json:"branch"`
	Dir    string   `json:"dir"`
	Of     string   `json:"of"` // in hand, put away, nobody
	Lost   []string `json:"would_be_lost"`
}

func runWorktrees(ctx context.Context, std *streams, asJSON bool) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	found, err := worktree.List(ctx, pr.Dir)
	if err != nil {
		return err
	}
	all := []worktreeRow{}
	for _, f := range found {
		of, err := worktreeOwner(pr, f.ID)
		if err != nil {
			return err
		}
		loss, err := worktree.Losses(ctx, f.Place)
		if err != nil {
			return err
		}
		all = append(all, worktreeRow{Task: f.ID, Branch: f.Branch(), Dir: f.Top(), Of: of, Lost: loss.Lines(20)})
	}
	if asJSON {
		return std.printJSON(all)
	}
	if len(all) == 0 {
		fmt.Fprintln(std.out, "there is no work tree")
	}
	for _, g := range all {
		fmt.Fprintf(std.out, "%s  %s\n", g.Task, g.Of)
		for _, line := range g.Lost {
			fmt.Fprintln(std.out, "  "+text.Sanitize(line))
		}
	}
	return nil
}

// worktreeOwner says whose a work tree is.
func worktreeOwner(pr *project.Project, id string) (string, error) {
	state, err := pr.World()
	if err != nil {
		return "", err
	}
	if t := state.World.Task; t != nil && t.ID == id {
		return "in hand", nil
	}
	_, err = pr.Store.ReadFile("archive/" + id + "/journal.jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return "nobody", nil
	}
	return "put away", err
}

func worktreeRemoveCommand(std *streams) *cobra.Command {
	var force, yes bool
	c := &cobra.Command{
		Use:   "remove <task>",
		Short: "Take a work tree and its branch away",
		Long: `Takes a work tree away with its branch, if nothing is lost with it: every commit is
on another branch, no file is changed, no process works there. --force shows what
would be lost, and asks.`,
		Example: "  ferrus worktree remove t-20261120-101500-4f2a\n  ferrus worktree remove t-20261120-101500-4f2a --force",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "remove takes one task")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWorktreeRemove(cmd.Context(), std, args[0], force, yes)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "also when something is lost; lists it and asks")
	c.Flags().BoolVar(&yes, "yes", false, "with --force: do not ask")
	return c
}

func runWorktreeRemove(ctx context.Context, std *streams, id string, force, yes bool) error {
	pr, err := openAsHuman("worktree remove")
	if err != nil {
		return err
	}
	if _, err := removableWorktree(ctx, pr, id); err != nil { // before there is a lock where nothing ever landed
		return err
	}
	lock, err := pr.Store.TryLock(land.LockName) // nothing lands from what is taken away
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	place, err := removableWorktree(ctx, pr, id)
	if err != nil {
		return err
	}
	err = worktree.Remove(ctx, place)
	var lost *worktree.Lost
	switch {
	case errors.As(err, &lost) && !force:
		return &exitError{code: codeError, what: err.Error(), hints: []string{"ferrus land " + id + " brings approved work home; ferrus worktree remove " + id + " --force gives it up"}}
	case errors.As(err, &lost):
		if err := confirmLoss(std, lost, yes); err != nil {
			return err
		}
		err = worktree.Discard(ctx, place)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, "removed:", place.Top())
	return nil
}

// removableWorktree is a work tree that may go: not that of a task that goes on.
func removableWorktree(ctx context.Context, pr *project.Project, id string) (worktree.Place, error) {
	place := pr.Worktree(id)
	state, err := pr.World()
	if err != nil {
		return place, err
	}
	if t := state.World.Task; t != nil && t.ID == id && t.Landed == nil && t.Workspace != nil {
		return place, &exitError{code: codeError, what: fmt.Sprintf("%s is the task in hand, and it is %s", id, state.World.State), hints: []string{"land it, or put it away first: ferrus reset"}}
	}
	found, err := worktree.List(ctx, pr.Dir)
	if err != nil {
		return place, err
	}
	for _, f := range found {
		if f.ID == id {
			return place, nil
		}
	}
	return place, &exitError{code: codeError, what: fmt.Sprintf("there is no work tree of %q", id), hints: []string{"ferrus worktree lists them"}}
}

// confirmLoss shows what would be lost, and asks.
func confirmLoss(std *streams, lost *worktree.Lost, yes bool) error {
	fmt.Fprintln(std.out, "this would be lost:")
	for _, line := range lost.Loss.Lines(20) {
		fmt.Fprintln(std.out, "  "+text.Sanitize(line))
	}
	switch {
	case len(lost.Loss.Processes) > 0:
		return &exitError{code: codeError, what: "processes work there", hints: []string{"end them first"}}
	case yes:
		return nil
	case !std.canAsk:
		return &exitError{code: codeWaiting, what: "nobody said that it may be lost", hints: []string{"look at it, then add --yes"}}
	case !std.confirm("give it up?", false):
		return &exitError{code: codeError, what: "nothing was changed"}
	}
	return nil
}
