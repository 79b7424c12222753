package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/store"
)

func answerCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "answer <text>",
		Short: "Answer what an agent asks you",
		Long: `Answers the open question of an agent; where none is open, the open consultation
of the executor. ferrus status shows what is asked.`,
		Example: `  ferrus answer "No, only GET and HEAD"`,
		Args:    requireText("answer"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runAnswer(cmd.Context(), std, joinArgs(args)) },
	}
}

func runAnswer(ctx context.Context, std *streams, answer string) error {
	pr, err := openAsHuman("answer")
	if err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	c := core.Command{Kind: "answer", Text: answer}
	if w := state.World; w.State == "Consultation" && w.Consult != nil && !w.Consult.Answered {
		c.Kind, c.Ticket = "respond_consult", w.Consult.Ticket
	} else if w.Question != nil {
		c.Ticket = w.Question.Ticket
	}
	return execute(ctx, std, pr, c, "answered")
}

func approveCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "approve [note]",
		Short: "Accept the submission under review",
		Long:  "Accepts what is submitted, if the tree is still the submitted one. The task is then Complete.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return doAsHuman(cmd.Context(), std, "approve", core.Command{Kind: "approve", Text: joinArgs(args)}, "approved")
		},
	}
}

func rejectCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:     "reject <notes>",
		Short:   "Send the submission back with notes",
		Long:    "Sends what is submitted back to the executor, who is shown the notes. It counts as a review cycle.",
		Example: `  ferrus reject "the retry must respect the context"`,
		Args:    requireText("list of notes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return doAsHuman(cmd.Context(), std, "reject", core.Command{Kind: "reject", Text: joinArgs(args)}, "rejected")
		},
	}
}

func retryCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "retry",
		Short: "Go on with a failed task, counters at 0",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return doAsHuman(cmd.Context(), std, "retry", core.Command{Kind: "retry"}, "the task goes on")
		},
	}
}

func resumeCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "Clear a hold so that the task goes on",
		Long: `Clears a hold: what /stop, /quit, an agent that makes no progress or a gate
without commands left behind. An agent that waits, for the end of its vendor's
limit or after an error, is tried at once. Nothing runs here; HQ or ferrus run
goes on.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runResume(cmd.Context(), std) },
	}
}

func runResume(ctx context.Context, std *streams) error {
	pr, err := openAsHuman("resume")
	if err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	waited, err := conductor.ResumeAll(pr)
	if err != nil {
		return err
	}
	done := "nothing is held"
	switch {
	case state.World.Hold != nil:
		done = "the hold is cleared"
	case waited:
		done = "nobody waits any longer"
	}
	return execute(ctx, std, pr, core.Command{Kind: "resume"}, done)
}

func resetCommand(std *streams) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "reset",
		Short: "Put the task away and go back to Idle",
		Long:  "Puts the task away, whatever its state. Its texts go to .ferrus/archive; files of the repository are not touched.",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runReset(cmd.Context(), std, yes) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

func runReset(ctx context.Context, std *streams, yes bool) error {
	pr, err := openAsHuman("reset")
	if err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	if task := state.World.Task; !yes && task != nil {
		if !std.canAsk {
			return &exitError{code: codeUsage, what: "reset would put the task away without asking", hints: []string{"run: ferrus reset --yes"}}
		}
		if !std.confirm(fmt.Sprintf("put %q away (%s)?", task.Title, state.World.State), false) {
			return &exitError{code: codeError, what: "nothing was changed"}
		}
	}
	return execute(ctx, std, pr, core.Command{Kind: "reset"}, "the task is put away")
}

// doAsHuman is a move that only a person may make.
func doAsHuman(ctx context.Context, std *streams, name string, c core.Command, done string) error {
	pr, err := openAsHuman(name)
	if err != nil {
		return err
	}
	return execute(ctx, std, pr, c, done)
}

// execute carries a command of the person's out and says what came of it.
func execute(ctx context.Context, std *streams, pr *project.Project, c core.Command, done string) error {
	c.By = project.HumanActor()
	result, err := pr.Do(ctx, store.Call{}, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s; the task is %s\n", done, result.State)
	return printContinue(std, pr, result.State)
}

// printContinue says how a task goes on that nobody conducts.
func printContinue(std *streams, pr *project.Project, s machine.State) error {
	_, held, err := pr.Store.Holder(conductor.LockName)
	if err != nil || held || isResting(s) {
		return err
	}
	fmt.Fprintln(std.out, "go on with: ferrus run")
	return nil
}
