package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/store"
	"ferrus/ui/text"
)

func mergeCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "merge [again|accept|resume] [branch|task]",
		Short: "Show the merge queues of the project, or decide what waits for you",
		Long: `Lists what is staged for each branch and what was merged: for each batch, the trees that
were checked and their verdicts, what landed, and what did not and why.

A candidate whose checks both failed and passed on the same tree is FLAKY and waits for
you: "again" checks it again, "accept" counts the pass. "resume" clears a hold, such as the
one set when a branch fails on its own. For a pull request that waits for you, "again"
pushes the approved work once more, and "accept" counts what was merged as landed.

If more than one merge waits for you, name the branch, or a task by its number.`,
		Example: "  ferrus merge\n  ferrus merge again\n  ferrus merge resume release/2",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usageError(cmd, "merge takes again, accept or resume, and the branch or the task")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showMerges(std)
			}
			switch d := merge.Decision(args[0]); d {
			case merge.Again, merge.Accept, merge.Resume:
				name := ""
				if len(args) > 1 {
					name = args[1]
				}
				return decideMerge(cmd.Context(), std, d, name)
			}
			return usageError(cmd, "merge takes again, accept or resume, not "+args[0])
		},
	}
}

// showMerges prints what the merges do, and what they did.
func showMerges(std *streams) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	q, err := queue.Open(pr)
	if errors.Is(err, store.ErrNone) {
		fmt.Fprintln(std.out, "nothing has been merged yet")
		return nil
	}
	if err != nil {
		return err
	}
	now, err := merge.Present(q)
	if err != nil {
		return err
	}
	past, err := merge.History(q)
	if err != nil {
		return err
	}
	if len(now)+len(past) == 0 {
		past = []string{"nothing has been merged yet"}
	}
	for _, line := range append(now, past...) {
		fmt.Fprintln(std.out, text.Sanitize(line))
	}
	return nil
}

// decideMerge decides about the named merge, or the waiting one if none is named.
func decideMerge(ctx context.Context, std *streams, d merge.Decision, name string) error {
	var q *queue.Queue
	pr, err := openAsHumanFor("merge", func(pr *project.Task) (err error) {
		if q, err = queue.Open(pr); errors.Is(err, store.ErrNone) {
			return failure("no merge waits for you: nothing was queued")
		}
		if err != nil {
			return err
		}
		return explainMerge(merge.CheckNamed(q, name, d))
	})
	if err != nil {
		return err
	}
	decided, err := merge.DecideNamed(ctx, q, project.HumanActor(), name, d)
	if err != nil {
		return explainMerge(err)
	}
	if err := callConductor(pr); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %s\n", text.Sanitize(decided), d)
	return nil
}

// explainMerge adds a hint to the error of a name that no merge waits under.
func explainMerge(err error) error {
	if errors.Is(err, merge.ErrNothingWaits) {
		return failure(text.Sanitize(err.Error()), "ferrus merge shows what was merged")
	}
	return err
}

// showLandings prints what the merge queues did: all of it, or with a task that was chosen, what they did with that.
func showLandings(std *streams, last int) error {
	pr, err := std.chosen(openProject())
	if err != nil {
		return err
	}
	var lines []string
	if pr.HasDirectory() {
		lines = mergesOf(pr)
	} else if q, err := queue.Open(pr); err == nil {
		if lines, err = merge.History(q); err != nil {
			return err
		}
	} else if !errors.Is(err, store.ErrNone) {
		return err
	}
	if len(lines) == 0 {
		lines = []string{"nothing has been merged yet"}
	}
	if last > 0 {
		lines = lines[max(0, len(lines)-last):]
	}
	for _, line := range lines {
		fmt.Fprintln(std.out, text.Sanitize(line))
	}
	return nil
}
