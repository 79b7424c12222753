package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/project"
	"ferrus/hq/workflow"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/store"
	"ferrus/ui/text"
)

// workflowCommand returns the commands for work larger than a task.
func workflowCommand(std *streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "workflow",
		Short: "Start, inspect and decide work larger than a task",
		Long: `A workflow (feature, debug, refactor or oneshot) takes work through phases, each with
guards that must hold before the next one starts. Plans and blocked work wait for you.
One workflow is open at a time.

HQ or ferrus run runs it; these commands start it, show it and record your decisions.
Without --id they apply to the open workflow.

Exit codes: 0 success; 1 error, refusal or incomplete cancellation; 2 usage; 3 waiting
for you (status).`,
		Example: "  ferrus workflow start feature \"Retry the fetcher\"\n  ferrus run\n  ferrus workflow approve",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWorkflowStatus(cmd.Context(), std, "", false)
		},
	}
	c.AddCommand(workflowStartCommand(std), workflowStatusCommand(std),
		decisionCommand(std, "approve", "[note]", "Approve the plan", "plan approved"),
		decisionCommand(std, "revise", "<notes>", "Send the plan, or work whose checks failed, back with notes",
			"sent back with your notes"),
		decisionCommand(std, "unblock", "[notes]", "Continue a blocked workflow and reset its limits", "unblocked"),
		decisionCommand(std, "replan", "[notes]", "Plan a blocked workflow again", "planning again"),
		workflowCancelCommand(std), workflowCleanupCommand(std), workflowListCommand(std), workflowShowCommand(std))
	return c
}

func workflowStartCommand(std *streams) *cobra.Command {
	var text, policy string
	c := &cobra.Command{
		Use: "start <type> <title>", Short: "Start a workflow: feature, debug, refactor or oneshot",
		Example: "  ferrus workflow start debug \"The fetcher hangs\" " +
			"--text \"It hangs when the server closes early.\"\n" +
			"  ferrus workflow start oneshot \"Fix the typo\" --policy never",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || joinArgs(args[1:]) == "" {
				return usageError(cmd, "start takes a type and a title")
			}
			kind := flow.Type(args[0])
			if !slices.Contains(flow.Types, kind) {
				return usageError(cmd, unknownType(args[0]))
			}
			return startWorkflow(cmd.Context(), std,
				workflow.Request{Type: kind, Title: joinArgs(args[1:]), Text: text, Policy: flow.Policy(policy)})
		},
	}
	c.Flags().StringVar(&text, "text", "", "the full request, if the title does not say it")
	c.Flags().StringVar(&policy, "policy", "",
		"whether to publish a oneshot or a hotfix: always, never or on-request")
	return c
}

func startWorkflow(ctx context.Context, std *streams, r workflow.Request) error {
	pr, err := openAsHuman("workflow start")
	if err != nil {
		return err
	}
	if err := requireTrust(std, pr); err != nil {
		return err
	}
	w, err := workflow.Open(pr).Start(ctx, project.HumanActor(), r)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "started %s (%s): %s\n", w.ID, w.Type, text.Sanitize(w.Title))
	if conductorFree(pr) {
		fmt.Fprintln(std.out, "continue with: ferrus run")
	}
	return nil
}

// decisionCommand returns the shell command for one of your decisions.
func decisionCommand(std *streams, name, argument, short, done string) *cobra.Command {
	var id string
	c := &cobra.Command{
		Use: name + " " + argument, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.HasPrefix(argument, "<") && joinArgs(args) == "" {
				return usageError(cmd, "the notes are empty")
			}
			return runDecision(cmd.Context(), std, id,
				workflow.Command{Kind: machine.Kind(name), Text: joinArgs(args)}, done)
		},
	}
	c.Flags().StringVar(&id, "id", "", "the workflow (default: the open one)")
	return c
}

// openWorkflowAsHuman opens a workflow for a command that agents may not give; without an
// id, the open one.
func openWorkflowAsHuman(command, id string) (*workflow.Store, workflow.Workflow, error) {
	pr, err := openAsHuman("workflow " + command)
	if err != nil {
		return nil, workflow.Workflow{}, err
	}
	b := workflow.Open(pr)
	w, err := b.Get(id)
	return b, w, err
}

func runDecision(ctx context.Context, std *streams, id string, c workflow.Command, done string) error {
	b, w, err := openWorkflowAsHuman(string(c.Kind), id)
	if err != nil {
		return err
	}
	c.By, c.Ticket = project.HumanActor(), w.Counters.Ticket
	after, err := b.Do(ctx, w.ID, store.Call{}, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s; the workflow is in %s\n", done, after.Phase)
	if conductorFree(b.Project) && !after.IsFinal() {
		fmt.Fprintln(std.out, "continue with: ferrus run")
	}
	return nil
}

func workflowCancelCommand(std *streams) *cobra.Command {
	var id, reason string
	var dry bool
	c := &cobra.Command{
		Use: "cancel", Short: "Cancel the workflow, and undo what it published", Args: noArgs,
		Long: `Cancels in steps, the latest effect first: stops the sessions, closes the pull request,
deletes its branch, archives the open task. Files of the working tree are kept, and
every commit stays reachable as refs/ferrus/kept/<id>. If a step fails, the workflow
stays open; the next cancel retries it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runWorkflowCancel(cmd.Context(), std, id, reason, dry)
		},
	}
	c.Flags().StringVar(&id, "id", "", "the workflow (default: the open one)")
	c.Flags().StringVar(&reason, "reason", "", "why it is cancelled")
	c.Flags().BoolVar(&dry, "dry-run", false, "print the steps, and do nothing")
	return c
}

func runWorkflowCancel(ctx context.Context, std *streams, id, reason string, dry bool) error {
	b, w, err := openWorkflowAsHuman("cancel", id)
	if err != nil {
		return err
	}
	if dry {
		steps := w.Compensation
		if w.Cancelling == nil {
			steps = workflow.CancelSteps(&w.Document)
		}
		printSteps(std, steps)
		return nil
	}
	w, err = b.Cancel(ctx, w.ID, reason)
	printSteps(std, w.Compensation)
	if partial, ok := errors.AsType[*workflow.IncompleteCancelError](err); ok {
		return failure(partial.Error(), "fix the cause, then run again: ferrus workflow cancel")
	}
	if err == nil {
		fmt.Fprintln(std.out, "workflow cancelled")
	}
	return err
}

func printSteps(std *streams, steps []workflow.Step) {
	for _, s := range steps {
		status := cmp.Or(s.Status, "planned")
		line := fmt.Sprintf("%-9s %-13s %s", status, s.ID, s.What)
		if s.Message != "" {
			line += ": " + s.Message
		}
		fmt.Fprintln(std.out, text.Sanitize(line))
	}
}

func workflowCleanupCommand(std *streams) *cobra.Command {
	var id string
	c := &cobra.Command{
		Use: "cleanup", Short: "Complete a workflow whose work is already merged", Args: noArgs,
		Long: "Completes the workflow from any phase, if git or the forge confirms that its work is merged.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDecision(cmd.Context(), std, id, workflow.Command{Kind: flow.KindCleanup}, "work is merged")
		},
	}
	c.Flags().StringVar(&id, "id", "", "the workflow (default: the open one)")
	return c
}

// unknownType says that there is no such type of workflow.
func unknownType(name string) string {
	return fmt.Sprintf("unknown workflow type %q; use one of: %s", name, flow.TypeNames())
}
