package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/hq/land"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

// landing is one call of land.
type landing struct {
	*streams
	task, message                       string
	edit, changes, keep, dry, yes, json bool
}

func landCommand(std *streams) *cobra.Command {
	l := &landing{streams: std}
	c := &cobra.Command{
		Use:   "land [task]",
		Short: "Commit approved work and move the branch forward",
		Long: `Shows what an approved task changed, its verdict and its alarms, and brings it
home: the task in hand, or one that was put away.

In the project directory itself it commits what was approved on the branch that is
checked out. From a work tree ([hq] workspace = "worktree") it commits there, rebases
onto the branch that the task came from, there, runs the check commands on the result
if that is not what was proven, and moves the branch forward; then the work tree is
taken away. What does not fit, or is red, goes back to the executor with the hunks or
the report; with --keep everything is put back as it was instead.

Before that nothing of yours is touched, and never where uncommitted changes of yours
are in the way. Hooks of the repository do not run, and the commit is not signed.`,
		Example: "  ferrus land\n  ferrus land --dry-run\n  ferrus land -m \"fetch: try again\"\n  ferrus land t-20261120-101500-4f2a --keep",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, "land takes one task, and was given "+strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case l.edit && l.message != "":
				return usageError(cmd, "--edit and --message do not go together")
			case cmd.Flags().Changed("message") && strings.TrimSpace(l.message) == "":
				return usageError(cmd, "the message is empty")
			case l.json && !l.dry:
				return usageError(cmd, "--json goes with --dry-run")
			}
			l.task = strings.Join(args, "")
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			return l.run(ctx)
		},
	}
	f := c.Flags()
	f.StringVarP(&l.message, "message", "m", "", "of the commit; otherwise the title of the task and the summary of the submission")
	f.BoolVarP(&l.edit, "edit", "e", false, "edit that message first, with $EDITOR")
	f.BoolVar(&l.changes, "with-changes", false, "land what was not committed before the task as well")
	f.BoolVar(&l.keep, "keep", false, "undo what does not fit or is red; the executor does not get it back")
	f.BoolVar(&l.dry, "dry-run", false, "show what would land, and change nothing")
	f.BoolVar(&l.json, "json", false, "with --dry-run: the same as one object")
	f.BoolVarP(&l.yes, "yes", "y", false, "do not ask")
	return c
}

func (l *landing) run(ctx context.Context) error {
	if l.dry {
		pr, err := openProject()
		if err != nil {
			return err
		}
		return l.preview(ctx, pr)
	}
	pr, err := openAsHuman("land")
	if err != nil {
		return err
	}
	words, err := land.Recover(ctx, pr)
	if err != nil {
		return err
	}
	if words != "" {
		fmt.Fprintln(l.out, words)
	}
	o := l.options()
	plan, err := land.Look(ctx, pr, l.task, o)
	if err != nil {
		return err
	}
	if plan.Off != nil {
		return plan.Off
	}
	if l.message == "" {
		o.Message = plan.Message
	}
	if l.edit {
		if o.Message, err = l.editMessage(ctx, pr, o.Message); err != nil {
			return err
		}
	}
	plan.Message = o.Message
	l.print(plan)
	if l.canAsk && !l.yes && !l.confirm("land it?", true) {
		return &exitError{code: codeError, what: "nothing was changed"}
	}
	if err := requireTrust(l.streams, pr); err != nil {
		return err
	}
	return l.land(ctx, pr, o)
}

func (l *landing) options() land.Options {
	return land.Options{
		Message: l.message, Changes: l.changes, Keep: l.keep,
		Tell: func(words string) { fmt.Fprintln(l.out, words+" ...") },
	}
}

func (l *landing) land(ctx context.Context, pr *project.Project, o land.Options) error {
	done, err := land.Land(ctx, pr, l.task, o)
	var failed *land.Failed
	if errors.As(err, &failed) {
		fmt.Fprintf(l.out, "\n%s\n", strings.TrimSpace(text.SanitizeLines(failed.Text)))
		hint := "everything is as it was; without --keep it goes back to the executor"
		if failed.Returned {
			hint = "the executor has it again, on top of what the branch has become: ferrus run, or HQ, goes on"
		} else if !l.keep {
			hint = "everything is as it was; the task was put away, so it goes back to nobody"
		}
		return &exitError{code: codeError, what: failed.What, hints: []string{hint}}
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(l.out, text.Sanitize(done.String()))
	return nil
}

func (l *landing) preview(ctx context.Context, pr *project.Project) error {
	plan, err := land.Look(ctx, pr, l.task, l.options())
	if err != nil {
		return err
	}
	if l.json {
		return l.printJSON(plan)
	}
	l.print(plan)
	return plan.Off
}

// print prints files, lines, verdict, alarms and message.
func (l *landing) print(plan land.Plan) {
	for _, line := range plan.Lines() {
		fmt.Fprintln(l.out, text.Sanitize(line))
	}
	fmt.Fprintln(l.out)
}

// messageFile is edited; what it says then is the message.
const messageFile = "run/LAND_MESSAGE"

// editMessage lets the person change the message.
func (l *landing) editMessage(ctx context.Context, pr *project.Project, text string) (string, error) {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return "", &exitError{code: codeError, what: "neither VISUAL nor EDITOR names an editor", hints: []string{`set EDITOR, or give the message: ferrus land -m "..."`}}
	}
	if err := pr.Store.WriteFile(messageFile, []byte(text)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "sh", pr.Store.Path(messageFile))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = l.in, l.out, l.err
	if err := cmd.Run(); err != nil {
		return "", &exitError{code: codeError, what: fmt.Sprintf("the editor ended with %v; nothing was changed", err)}
	}
	data, err := pr.Store.ReadFile(messageFile)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", &exitError{code: codeError, what: "the message is empty; nothing was changed"}
	}
	return string(data), pr.Store.Remove(messageFile)
}
