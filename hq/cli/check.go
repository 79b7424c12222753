package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ferrus/checks"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/project"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func checkCommand(std *streams) *cobra.Command {
	var force, cancel bool
	c := &cobra.Command{
		Use:   "check",
		Short: "Run the check gate",
		Long: `Runs the check commands of ferrus.toml on the current tree and records the verdict.
While an executor holds the lease, this is refused; --force then runs and records the
commands without changing the state. Ctrl+C leaves the gate running; --cancel
cancels it.`,
		Example: "  ferrus check\n  ferrus check --force\n  ferrus check --cancel",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case force && cancel:
				return usageError(cmd, "--force and --cancel exclude each other")
			case cancel:
				return doAsHuman(cmd.Context(), std, "check --cancel", core.Command{Kind: core.KindCheckCancelled},
					"gate cancelled")
			}
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			if force {
				return runForcedCheck(ctx, std)
			}
			return runCheck(ctx, std)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "run and record even while an agent works, without changing the state")
	c.Flags().BoolVar(&cancel, "cancel", false, "cancel the running gate, which does not count as a failure")
	return taskFlag(std, c)
}

// openForCheck opens the project for a human who trusts its check commands.
func openForCheck(std *streams, what string) (*project.Task, error) {
	pr, err := std.chosenAsHuman(what)
	if err != nil {
		return nil, err
	}
	if _, err := pr.Config(); err != nil {
		return nil, err
	}
	return pr, requireTrust(std, pr)
}

// runCheck requests a gate as the human and waits for its verdict.
func runCheck(ctx context.Context, std *streams) error {
	pr, err := openForCheck(std, "check")
	if err != nil {
		return err
	}
	usual := usualGate(pr)
	result, err := pr.Do(ctx, store.Call{}, core.Command{Kind: core.KindCheck, By: project.HumanActor()})
	if err != nil {
		return err
	}
	fmt.Fprintln(std.out, "running the gate; Ctrl+C leaves it running")
	stop := newMeter(std, "checking", usual, time.Now()).every()
	state, _, err := gate.Wait(ctx, pr, result.Ticket, gate.Waiting{Failed: func(sentence string) {
		fmt.Fprintf(drawnOn(std.err), "\rferrus: %s\n", text.Sanitize(sentence))
	}})
	stop()
	if ctx.Err() != nil {
		return interruption("detached; the gate keeps running",
			"ferrus status shows it; ferrus check --cancel cancels it")
	}
	if err != nil {
		return err
	}
	if err := gateCancelled(state.World, result.Ticket); err != nil {
		return err
	}
	record, err := gate.Read(pr, result.Ticket)
	if err != nil {
		return fmt.Errorf("read the gate record: %w", err)
	}
	return printVerdict(std, pr, record)
}

// usualGate returns how long the newest gate of the task took that ran all commands; 0: none
// did.
func usualGate(pr *project.Task) time.Duration {
	state, err := pr.World()
	if err != nil || state.World.Gate == nil {
		return 0
	}
	record, err := gate.Read(pr, state.World.Gate.Ticket)
	if err != nil || !record.Verdict.Passed() && record.Verdict != checks.Fail {
		return 0
	}
	return record.Ended.Sub(record.Started)
}

// gateCancelled returns an error for a gate that was cancelled. Its record may come later, or never.
func gateCancelled(w core.World, ticket uint64) error {
	g := w.Gate
	switch {
	case g == nil || g.Ticket != ticket || g.Verdict == "" || g.Verdict == checks.Cancelled && g.Lost < task.LostLimit:
		return failure(fmt.Sprintf("the gate was cancelled; the task is %s", w.State))
	case g.Verdict == checks.Cancelled:
		return failure(fmt.Sprintf("the gate was cancelled: its process died three times; the task is %s", w.State),
			"find out what ends it, such as a lack of memory; ferrus check tries again")
	}
	return nil
}

// runForcedCheck runs the commands without changing the state.
func runForcedCheck(ctx context.Context, std *streams) error {
	pr, err := openForCheck(std, "check --force")
	if err != nil {
		return err
	}
	stop := newMeter(std, "checking", usualGate(pr), time.Now()).every()
	record, err := runForced(ctx, pr)
	stop()
	var held *store.LockedError
	switch {
	case errors.As(err, &held):
		return failure("a gate is already running", "ferrus status shows it; ferrus check --cancel cancels it")
	case errors.Is(err, context.Canceled):
		return interruption("")
	case err != nil:
		return err
	}
	return printVerdict(std, pr, record)
}

// runForced runs the commands. A runner that has recorded its verdict holds the lock
// until it exits, so runForced waits for that.
func runForced(ctx context.Context, pr *project.Task) (gate.Record, error) {
	now, err := pr.World()
	if err != nil {
		return gate.Record{}, err
	}
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	ending := time.After(5 * time.Second)
	for {
		record, err := gate.Force(ctx, pr, gate.Options{Dir: pr.Workspace(now.World)})
		var held *store.LockedError
		if !errors.As(err, &held) {
			return record, err
		}
		state, broken := pr.World()
		if broken != nil || state.World.GateRunning() {
			return record, errors.Join(broken, err)
		}
		select {
		case <-again.C:
		case <-ending:
			return record, err
		case <-ctx.Done():
			return record, ctx.Err()
		}
	}
}

// printVerdict prints a record; anything but a pass is an error.
func printVerdict(std *streams, pr *project.Task, r gate.Record) error {
	log := fromHere(pr.Dir, r.Log)
	for _, c := range r.Commands {
		fmt.Fprintf(std.out, "%-8s %8s  %s%s\n", resultWord(c), c.Duration.Round(10*time.Millisecond),
			text.Sanitize(c.Title()), testCount(c))
	}
	for _, title := range r.Empty() {
		fmt.Fprintf(std.out, "%-8s %8s  %s ran 0 tests\n", "NOTE", "", text.Sanitize(title))
	}
	if r.Verdict == checks.Pass {
		fmt.Fprintf(std.out, "\n%s  log: %s\n", r.Verdict, text.Sanitize(log))
		return nil
	}
	report := strings.ReplaceAll(r.Report, "Full log: "+r.Log, "Full log: "+log)
	fmt.Fprintf(std.out, "\n%s\n\n%s\n", indent(text.SanitizeLines(report)),
		text.Sanitize(cmp.Or(r.Why, string(r.Verdict))))
	return failure("")
}

// fromHere returns the path of a file of a project as a shell in the working directory opens it.
func fromHere(project, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(project, file)
	}
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if below, err := filepath.Rel(realPath(here), realPath(file)); err == nil && filepath.IsLocal(below) {
		return below
	}
	return file
}

// testCount returns how many tests a command reported.
func testCount(c checks.Result) string {
	if c.Tests == nil {
		return ""
	}
	return "  " + c.Tests.String()
}

func resultWord(c checks.Result) string {
	switch {
	case c.TimedOut:
		return "TIMEOUT"
	case c.Exit == 0 && c.Signal == "":
		return "ok"
	}
	return "FAIL"
}
