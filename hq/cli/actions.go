package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/advice"
	"ferrus/hq/conductor"
	"ferrus/hq/conductor/journal"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func answerCommand(std *streams) *cobra.Command {
	code := ""
	c := &cobra.Command{
		Use:   "answer <text>",
		Short: "Answer an agent's question",
		Long: `Answers an agent's open question or, if there is none, the executor's open consultation.
ferrus status shows the question.

Like every decision of yours, it needs your own terminal or HQ. Without either, as in
CI, pass --code with the one-time code that ferrus run printed when it exited with 3;
the code is valid once, for that question.`,
		Example: "  ferrus answer \"No, only GET and HEAD\"\n" +
			"  ferrus answer --code ABCD-EFGH-IJKL-MNOP \"No, only GET and HEAD\"",
		Args: requireText("the answer is empty"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAnswer(cmd.Context(), std, joinArgs(args), code)
		},
	}
	c.Flags().StringVar(&code, "code", "", "one-time code printed by ferrus run, instead of a terminal")
	return taskFlag(std, c)
}

func runAnswer(ctx context.Context, std *streams, answer, code string) error {
	open := std.chosenWorldAsHuman
	if code != "" {
		open = func(command string) (*project.Task, store.State[core.World], error) {
			return openWithCode(std, command, code)
		}
	}
	pr, state, err := open("answer")
	if err != nil {
		return err
	}
	c := core.Command{Kind: core.KindAnswer, Text: answer}
	if w := state.World; consultOpen(w) {
		c.Kind, c.Ticket = core.KindRespondConsult, w.Consult.Ticket
	} else if w.Question != nil {
		c.Ticket = w.Question.Ticket
	}
	return execute(ctx, std, pr, c, "answered")
}

func approveCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "approve [note]",
		Short: "Approve the submission under review",
		Long: `Approves the submission, provided the tree has not changed since. The task becomes
Complete.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return doAsHuman(cmd.Context(), std, "approve",
				core.Command{Kind: core.KindApprove, Text: joinArgs(args)}, "approved")
		},
	})
}

func rejectCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "reject <notes>",
		Short: "Send the submission back with notes",
		Long: `Sends the submission back to the executor with your notes. It counts as a review
cycle.`,
		Example: `  ferrus reject "the retry must respect the context"`,
		Args:    requireText("reject needs notes: what has to change"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return doAsHuman(cmd.Context(), std, "reject", core.Command{Kind: core.KindReject, Text: joinArgs(args)},
				"rejected")
		},
	})
}

func retryCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "retry",
		Short: "Retry a failed task and reset its counters",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return doAsHuman(cmd.Context(), std, "retry", core.Command{Kind: core.KindRetry}, "retrying")
		},
	})
}

func resumeCommand(std *streams) *cobra.Command {
	var take bool
	c := &cobra.Command{
		Use:   "resume",
		Short: "Clear a hold and continue",
		Long: `Clears the hold, whether /stop or /quit set it, or ferrus did because agents made no
progress or the gate could not prove anything. Agents waiting for a usage limit or after
an error are retried at once. This command starts nothing: a running HQ or the next
ferrus run continues the task.

With --take it also takes the lease from a silent session. Its further calls are
refused, and a new session starts in its place.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runResume(cmd.Context(), std, take) },
	}
	c.Flags().BoolVar(&take, "take", false, "take the lease from the session that holds it")
	return taskFlag(std, c)
}

func runResume(ctx context.Context, std *streams, take bool) error {
	pr, state, err := std.chosenWorldAsHuman("resume")
	if err != nil {
		return err
	}
	if take {
		holder, err := conductor.TakeLease(ctx, pr)
		if err != nil {
			return err
		}
		if holder == "" {
			return failure("no session holds the lease", "ferrus resume clears a hold")
		}
		return execute(ctx, std, pr, core.Command{Kind: core.KindResume}, "the lease of "+holder+" is taken")
	}
	waited, err := conductor.ResumeAll(ctx, pr)
	if err != nil {
		return err
	}
	done := "there is no hold"
	switch {
	case state.World.Hold != nil:
		done = "hold cleared"
	case waited:
		done = "cleared all waits"
	case std.present != nil && inQueue(std.present) != "":
		return failure("there is no hold here")
	}
	return execute(ctx, std, pr, core.Command{Kind: core.KindResume}, done)
}

func resetCommand(std *streams) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "reset",
		Short: "Archive the task and return to Idle",
		Long: `Archives the task, whatever its state. Its texts move to .ferrus/archive; the files in
the repository are not touched.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReset(cmd.Context(), std, yes) },
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return taskFlag(std, c)
}

func runReset(ctx context.Context, std *streams, yes bool) error {
	pr, state, err := std.chosenWorldAsHuman("reset")
	if err != nil {
		return err
	}
	if task := state.World.Task; !yes && task != nil {
		if !std.canAsk {
			return misuse("reset asks for confirmation, and there is no terminal to ask on", "run: ferrus reset --yes")
		}
		if !std.confirm(fmt.Sprintf("archive %q (%s)?", task.Title, state.World.State), false) {
			return failure("not archived: nothing changed")
		}
	}
	done := resetWords(state.World)
	if w := state.World; w.Task == nil && w.Hold == nil && std.present != nil && inQueue(std.present) != "" {
		return failure(done)
	}
	return execute(ctx, std, pr, core.Command{Kind: core.KindReset}, done)
}

// resetWords says what a reset did.
func resetWords(w core.World) string {
	switch {
	case w.Task != nil:
		return "task archived"
	case w.Hold != nil:
		return "hold cleared; there is no task to archive"
	}
	return "there is no task: nothing to archive"
}

// doAsHuman executes a command that agents may not give.
func doAsHuman(ctx context.Context, std *streams, name string, c core.Command, done string) error {
	pr, err := std.chosenAsHuman(name)
	if err != nil {
		return err
	}
	return execute(ctx, std, pr, c, done)
}

// execute executes a command as the human and prints the result.
func execute(ctx context.Context, std *streams, pr *project.Task, c core.Command, done string) error {
	c.By = project.HumanActor()
	result, err := pr.Do(ctx, store.Call{}, c)
	if err != nil {
		return explainReview(pr, c, err)
	}
	fmt.Fprintf(std.out, "%s; the task is %s\n", done, result.State)
	return printContinue(std, pr, result.State)
}

// printContinue says how to continue the task where no conductor runs.
func printContinue(std *streams, pr *project.Task, s machine.State) error {
	_, held, err := pr.Store.Holder(project.ConductorLock)
	if err != nil || held || isResting(s) {
		return err
	}
	fmt.Fprintln(std.out, "continue with: ferrus run")
	return nil
}

// explainReview says who decided before, where a decision about a submission came too late.
func explainReview(pr *project.Task, c core.Command, err error) error {
	refusal := machine.AsRefusal(err)
	if refusal == nil || refusal.State == task.Reviewing ||
		c.Kind != core.KindApprove && c.Kind != core.KindReject {
		return err
	}
	const recent = 500
	state, broken := pr.World()
	if broken != nil {
		return err // the refusal is true without the rest
	}
	entries, _ := pr.Store.Journal(max(state.Seq, recent) - recent) // as above
	decided := journal.DescribeReview(entries)
	if decided == "" {
		return err
	}
	_, hints := advice.DescribeRefusal(refusal)
	return failure("too late: "+text.Sanitize(decided)+"; the task is "+string(refusal.State), hints...)
}
