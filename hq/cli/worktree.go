package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/hq/worktree"
	"ferrus/ui/text"
)

func worktreeCommand(std *streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "worktree",
		Short:   "List task worktrees, or remove one",
		Long:    "Lists the worktrees in .ferrus/worktrees with their tasks, and what removing each\nwould lose.",
		Example: "  ferrus worktree\n  ferrus worktree remove t-20261120-101500-4f2a",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWorktrees(cmd.Context(), std, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a list of JSON objects")
	c.AddCommand(worktreeRemoveCommand(std))
	return c
}

// worktreeRow is a worktree in the list.
type worktreeRow struct {
	Task   string   `json:"task"`
	Branch string   `json:"branch"`
	Dir    string   `json:"dir"`
	Of     string   `json:"of"` // a key of ownerWords
	Lost   []string `json:"would_be_lost"`
}

// ownerWords describe what became of a worktree's task.
var ownerWords = map[string]string{"in hand": "open task", "put away": "archived task", "nobody": "no task",
	"workflow": "workflow"}

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
		fmt.Fprintln(std.out, "no worktrees")
	}
	for _, g := range all {
		fmt.Fprintf(std.out, "%s  %s\n", text.Sanitize(g.Task), ownerWords[g.Of])
		for _, line := range g.Lost {
			fmt.Fprintln(std.out, "  "+text.Sanitize(line))
		}
	}
	return nil
}

// worktreeOwner returns the key of [ownerWords] for a task.
func worktreeOwner(pr *project.Task, id string) (string, error) {
	all, err := pr.Worlds()
	if err != nil {
		return "", err
	}
	if all.Of(id) != nil {
		return "in hand", nil
	}
	if pr.IsArchived(id) {
		return "put away", nil
	}
	if _, err := workflow.Open(pr).Load(id); err == nil {
		return "workflow", nil
	}
	return "nobody", nil
}

func worktreeRemoveCommand(std *streams) *cobra.Command {
	var force, yes bool
	c := &cobra.Command{
		Use:   "remove <task>",
		Short: "Remove a worktree and its branch",
		Long: `Removes a worktree and its branch if nothing would be lost: every commit is on another
branch, no file has changes, and no process runs there. --force lists what would be
lost, and asks.`,
		Example: "  ferrus worktree remove t-20261120-101500-4f2a\n" +
			"  ferrus worktree remove t-20261120-101500-4f2a --force",
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
	c.Flags().BoolVar(&force, "force", false, "remove it even if something would be lost, after asking")
	c.Flags().BoolVar(&yes, "yes", false, "with --force: do not ask for confirmation")
	return c
}

func runWorktreeRemove(ctx context.Context, std *streams, id string, force, yes bool) error {
	pr, err := openAsHuman("worktree remove")
	if err != nil {
		return err
	}
	if _, err := removableWorktree(ctx, pr, id); err != nil { // before a lock file is created where nothing ever landed
		return err
	}
	lock, err := pr.Files.TryLock(project.LandLock) // nothing lands from it meanwhile
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // the lock ends with the process
	place, err := removableWorktree(ctx, pr, id)
	if err != nil {
		return err
	}
	teardown, err := gate.RemoveWorktree(ctx, pr, place, false)
	var lost *worktree.LossError
	switch {
	case errors.As(err, &lost) && !force:
		return failure(err.Error(),
			"ferrus land "+id+" lands approved work; ferrus worktree remove "+id+" --force discards it")
	case errors.As(err, &lost):
		if err := confirmLoss(std, lost, yes); err != nil {
			return err
		}
		teardown, err = gate.RemoveWorktree(ctx, pr, place, true)
	}
	if err != nil {
		return err
	}
	if teardown != nil {
		fmt.Fprintln(std.err, "ferrus:", text.Sanitize(teardown.Error()))
	}
	fmt.Fprintln(std.out, "removed:", text.Sanitize(place.Top()))
	return nil
}

// removableWorktree returns a worktree, unless its task is still open.
func removableWorktree(ctx context.Context, pr *project.Task, id string) (worktree.Place, error) {
	place := pr.Worktree(id)
	all, err := pr.Worlds()
	if err != nil {
		return place, err
	}
	if w := all.Of(id); w != nil && w.Task.Landed == nil && w.Task.Workspace != nil {
		return place, failure(fmt.Sprintf("%s is an open task, and it is %s", id, w.State),
			"land it, or archive it first: ferrus reset")
	}
	if w, err := workflow.Open(pr).Load(id); err == nil && !w.IsFinal() {
		return place, failure(id+" is open, and works there",
			"ferrus workflow cancel ends it, and removes its worktree")
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
	return place, failure(fmt.Sprintf("there is no worktree of %q", id), "ferrus worktree lists them")
}

// confirmLoss lists what would be lost, and asks.
func confirmLoss(std *streams, lost *worktree.LossError, yes bool) error {
	fmt.Fprintln(std.out, "this would be lost:")
	for _, line := range lost.Loss.Lines(20) {
		fmt.Fprintln(std.out, "  "+text.Sanitize(line))
	}
	switch {
	case len(lost.Loss.Processes) > 0:
		return failure("processes work in it", "stop them first")
	case yes:
		return nil
	case !std.canAsk:
		return waiting("removing it loses work, and there is no terminal to confirm it",
			"review the list, then add --yes")
	case !std.confirm("remove it?", false):
		return failure("not removed: nothing changed")
	}
	return nil
}
