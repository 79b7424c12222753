package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/agent/program"

	"ferrus/hq/fleet"
	"ferrus/hq/gate"
	"ferrus/hq/land"
	"ferrus/hq/merge"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

// landOptions are the options of one run of ferrus land.
type landOptions struct {
	*streams
	task, message                       string
	edit, changes, keep, dry, yes, json bool
}

func landCommand(std *streams) *cobra.Command {
	l := &landOptions{streams: std}
	c := &cobra.Command{
		Use:   "land [task]",
		Short: "Commit approved work and move the branch forward",
		Long: `Shows what an approved task changed, its verdict and its alarms, asks for confirmation,
and lands it. Without an argument it lands the open task; an id selects an archived one.

In the project directory it commits the approved changes to the current branch. In a
worktree ([hq] workspace = "worktree") it stages them for the branch that the task
started from: they are combined with what else is staged, the check commands run on the
result unless that very tree has passed already, the branch moves forward and the
worktree is removed. On a conflict or a failed check the task returns to the executor
with the hunks or the report; with --keep it lands alone, and everything is rolled back
instead.

Your uncommitted changes are never touched; if they are in the way, the landing is
refused. The hooks prepare-commit-msg and commit-msg of the repository can change the
message, in the sandbox, and the commit is signed if git's configuration asks for it.`,
		Example: "  ferrus land\n  ferrus land --dry-run\n  ferrus land -m \"fetch: try again\"\n" +
			"  ferrus land t-20261120-101500-4f2a --keep",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, "land takes one task, got "+strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case l.edit && l.message != "":
				return usageError(cmd, "--edit and --message exclude each other")
			case cmd.Flags().Changed("message") && strings.TrimSpace(l.message) == "":
				return usageError(cmd, "the message is empty")
			case l.json && !l.dry:
				return usageError(cmd, "--json needs --dry-run")
			}
			l.task = strings.Join(args, "")
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			return withTask(l.run(ctx), queueNumber(strings.Join(args, "")))
		},
	}
	f := c.Flags()
	f.StringVarP(&l.message, "message", "m", "",
		"commit message (default: the title of the task and the summary of the submission)")
	f.BoolVarP(&l.edit, "edit", "e", false, "edit the message first, with $VISUAL or $EDITOR")
	f.BoolVar(&l.changes, "with-changes", false, "also land changes that were uncommitted before the task")
	f.BoolVar(&l.keep, "keep", false, "on a conflict or failed check, roll back instead of returning the task")
	f.BoolVar(&l.dry, "dry-run", false, "show what would land, and change nothing")
	f.BoolVar(&l.json, "json", false, "with --dry-run: print one JSON object")
	f.BoolVarP(&l.yes, "yes", "y", false, "do not ask for confirmation")
	return c
}

func (l *landOptions) run(ctx context.Context) error {
	if l.dry {
		pr, err := openProject()
		if err != nil {
			return err
		}
		if pr, l.task, err = taskToLand(pr, l.task); err != nil {
			return err
		}
		return l.preview(ctx, pr)
	}
	pr, err := openAsHumanFor("land", func(pr *project.Task) error { return l.find(ctx, pr) })
	if err != nil {
		return err
	}
	words, err := land.Recover(ctx, pr)
	if err != nil {
		return err
	}
	if words != "" {
		fmt.Fprintln(l.out, text.Sanitize(words))
	}
	if pr, l.task, err = taskToLand(pr, l.task); err != nil {
		return err
	}
	o := l.options()
	plan, err := merge.PlanLanding(ctx, pr, l.task, o)
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
	if !l.canAsk && !l.yes {
		return misuse("land asks for confirmation, and there is no terminal to ask on", "run: ferrus land --yes")
	}
	if !l.yes && !l.confirm("land it?", true) {
		return failure("not landed: nothing changed")
	}
	if err := requireTrust(l.streams, pr); err != nil {
		return err
	}
	return l.land(ctx, pr, o)
}

// find returns an error if there is nothing to land: no task of the name or, without one, none at all. An interrupted
// landing is completed or rolled back first, which can change that.
func (l *landOptions) find(ctx context.Context, pr *project.Task) error {
	if interrupted, err := land.IsBegun(pr); err != nil || interrupted {
		return err
	}
	of, id, err := taskToLand(pr, l.task)
	if err == nil {
		_, err = merge.PlanLanding(ctx, of, id, l.options())
	}
	return err
}

func (l *landOptions) options() land.Options {
	return land.Options{
		Message: l.message, Changes: l.changes, Keep: l.keep,
		Tell: func(words string) { fmt.Fprintln(l.out, text.Sanitize(words)+" ...") },
	}
}

func (l *landOptions) land(ctx context.Context, pr *project.Task, o land.Options) error {
	o.Watch = func([]string) land.Watch {
		stop := newMeter(l.streams, "checking", usualGate(pr), time.Now()).every()
		return land.Watch{Over: func(gate.Record, error) { stop() }}
	}
	done, err := l.merge(ctx, pr, o)
	if failed, ok := errors.AsType[*land.FailedError](err); ok {
		fmt.Fprintf(l.out, "\n%s\n", indent(text.SanitizeLines(failed.Text)))
		hint := "everything was rolled back; without --keep the task returns to the executor"
		if failed.Returned {
			hint = "the executor has it back, on the branch's new tip; continue with ferrus run or in HQ"
			if failed.Judged {
				hint = "it is under review now; once approved, it lands without another ferrus land"
			}
			if state, err := pr.World(); err == nil && state.World.Hold != nil {
				hint = "it returned to the executor, but the task is on hold (" + state.World.Hold.Reason +
					"): run ferrus resume, then ferrus run"
			}
		} else if !l.keep {
			hint = "everything was rolled back; the task is archived, so it does not return to the executor"
		}
		return failure(failed.What, hint)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(l.out, text.Sanitize(done.String()))
	return nil
}

// merge lands a task. One with a worktree of its own goes through the merge queue of its branch.
func (l *landOptions) merge(ctx context.Context, pr *project.Task, o land.Options) (land.Done, error) {
	if !pr.HasDirectory() || l.keep || l.task != "" {
		return land.Land(ctx, pr, l.task, o)
	}
	how := merge.OptionsOf(pr)
	run, end, err := fleet.GateRunner(ctx, pr)
	if err != nil {
		return land.Done{}, err
	}
	defer end()
	how.RunGate = run
	how.Watch = func(string, []string) land.Watch { return o.Watch(nil) }
	return merge.Land(ctx, pr, o.Message, how, o.Tell)
}

func (l *landOptions) preview(ctx context.Context, pr *project.Task) error {
	plan, err := merge.PlanLanding(ctx, pr, l.task, l.options())
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
func (l *landOptions) print(plan land.Plan) {
	for _, line := range plan.Lines() {
		fmt.Fprintln(l.out, text.Sanitize(line))
	}
	fmt.Fprintln(l.out)
}

// messageFile holds the message while it is edited.
const messageFile = "run/LAND_MESSAGE"

// editMessage opens the message in an editor.
func (l *landOptions) editMessage(ctx context.Context, pr *project.Task, text string) (string, error) {
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		return "", failure("neither VISUAL nor EDITOR is set", `set EDITOR, or pass the message: ferrus land -m "..."`)
	}
	if err := pr.Store.WriteFile(messageFile, []byte(text)); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$1"`, "sh", pr.Store.Path(messageFile))
	cmd.Env = program.Environ(os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = l.in, fileOf(l.out), fileOf(l.err)
	if err := cmd.Run(); err != nil {
		return "", failure(fmt.Sprintf("the editor failed: %v; nothing changed", err))
	}
	data, err := pr.Store.ReadFile(messageFile)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", failure("the message is empty; nothing changed")
	}
	return string(data), pr.Store.Remove(messageFile)
}
