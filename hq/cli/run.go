package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/store"
)

func runCommand(std *streams) *cobra.Command {
	var changes, debug bool
	c := &cobra.Command{
		Use:   "run [\"task text\"]",
		Short: "Run the whole loop without a screen",
		Long: `Creates the task as written and runs it: executor, check gate, review. Without a task
text it continues the task on disk. It prints one line per transition. All sessions are
headless; interactive in ferrus.toml is ignored.

When it needs you, it prints the question, stops its sessions and exits with 3:
answer with ferrus answer, then continue with ferrus run. Ctrl+C stops the sessions
and holds the task.`,
		Example: "  ferrus run \"Add retry with backoff to the fetcher\"\n  ferrus run \"$(cat task.md)\"\n" +
			"  ferrus run",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && joinArgs(args) == "" {
				return usageError(cmd, "the task text is empty")
			}
			if changes && len(args) == 0 {
				return usageError(cmd, "--with-changes needs a new task")
			}
			return runTask(cmd.Context(), std, joinArgs(args), changes, debug)
		},
	}
	c.Flags().BoolVar(&changes, "with-changes", false, "copy uncommitted changes into the task's worktree")
	debugFlag(c, &debug)
	return c
}

func runTask(ctx context.Context, std *streams, task string, changes, debug bool) error {
	pr, err := openAsHuman("run")
	if err != nil {
		return err
	}
	c, err := pr.Config()
	if err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	lastSeq, err := workflowToContinue(pr, task, state.World)
	if err != nil {
		return err
	}
	if err := requireAgents(c, task != ""); err != nil {
		return err
	}
	if err := requireNoConductor(pr); err != nil {
		return err
	}
	if err := requireTrust(std, pr); err != nil {
		return err
	}
	if err := pair.KillLeftovers(pr); err != nil {
		return err
	}
	if err := beginTask(ctx, std, pr, state.World, task, changes); err != nil {
		return err
	}
	process.Protect() // it holds the secrets of its sessions
	log, closeLog, err := openDebugLog(std, pr, debug)
	if err != nil {
		return err
	}
	defer closeLog()
	conductor, err := conductor.Start(ctx, pr, conductor.Options{Headless: true, Debug: log})
	if err != nil {
		return err
	}
	h := &headless{streams: std, project: pr, conductor: conductor, journalSeq: state.Seq, workflowSeq: lastSeq,
		queue: task == ""}
	return offerCode(pr, h.run(ctx))
}

// workflowToContinue refuses when there is nothing to continue, and a task beside an
// open workflow. It returns the last line of the workflow to continue.
func workflowToContinue(pr *project.Task, task string, w core.World) (uint64, error) {
	open, err := workflow.Open(pr).Find()
	switch {
	case err == nil && task != "":
		return 0, failure(fmt.Sprintf("the workflow %s is open and uses the task loop", open.ID),
			"ferrus run continues it; ferrus workflow cancel cancels it")
	case err == nil:
		return open.Seq, nil
	case !errors.Is(err, workflow.ErrNoneOpen):
		return 0, err
	case task == "":
		if moves, err := queueMoves(pr); err != nil || moves {
			return 0, err
		}
		return 0, requireTask(w)
	}
	return 0, nil
}

// beginTask creates the task, or prepares to continue the one on disk.
func beginTask(ctx context.Context, std *streams, pr *project.Task, w core.World, task string, changes bool) error {
	if task == "" {
		return clearQuitHold(ctx, pr, w)
	}
	cfg, err := pr.Config()
	if err != nil {
		return err
	}
	if changes && !cfg.HQ.Worktree() {
		return misuse("--with-changes needs a worktree; without one the agents see uncommitted changes anyway",
			`set [hq] workspace = "worktree"`)
	}
	c := core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: task, Changes: changes}
	if _, err := pr.Do(ctx, store.Call{}, c); err != nil {
		return err
	}
	state, err := pr.World()
	if t := state.World.Task; err == nil && t != nil && t.Workspace != nil && t.Workspace.Left > 0 {
		fmt.Fprintf(std.out, "uncommitted changes stay behind in %s; --with-changes copies them into the worktree\n",
			plural(t.Workspace.Left, "file"))
	}
	return err
}
