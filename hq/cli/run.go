package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ferrus/agent/process"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/hq/scheduler"
	"ferrus/hq/workflow"
	"ferrus/machine/task"
	"ferrus/store"
	"ferrus/ui/text"
)

func runCommand(std *streams) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run [\"task text\"]",
		Short: "Run the whole loop without a screen",
		Long: `Creates the task as written and runs it: executor, check gate, review. Without a task
text it continues the task on disk. It prints one line per transition. All sessions are
headless; interactive in ferrus.toml is ignored.

If the queue has tasks, it runs up to [limits] max_parallel_tasks at a time when each has
a worktree ([hq] workspace = "worktree"), otherwise one after another; each line starts
with the task's number. It ends when no task can continue without you.

When it needs you, it prints the question, stops its sessions and exits with 3:
answer with ferrus answer, then continue with ferrus run. Ctrl+C stops the sessions
and holds the task.`,
		Example: "  ferrus run \"Add retry with backoff to the fetcher\"\n  ferrus run \"$(cat task.md)\"\n" +
			"  ferrus run\n  ferrus run -f tasks.md\n  ferrus run --spec billing",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.text = joinArgs(args)
			switch {
			case len(args) > 0 && o.text == "":
				return usageError(cmd, "the task text is empty")
			case len(args) > 0 && o.adds():
				return usageError(cmd, "--file and --spec already have the tasks' texts")
			case o.file != "" && o.spec != "":
				return usageError(cmd, "--file and --spec exclude each other")
			case o.changes && len(args) == 0:
				return usageError(cmd, "--with-changes needs a new task")
			}
			return runTask(cmd.Context(), std, o)
		},
	}
	c.Flags().BoolVar(&o.changes, "with-changes", false, "copy uncommitted changes into the task's worktree")
	c.Flags().StringVarP(&o.file, "file", "f", "", "add the tasks of this file to the queue first; - is standard input")
	c.Flags().StringVar(&o.spec, "spec", "", "add the open milestones of this spec to the queue first")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object per line")
	debugFlag(c, &o.debug)
	return c
}

// runOptions are what ferrus run runs, and how.
type runOptions struct {
	text, file, spec       string // of one task, or with many tasks; empty: what is there continues
	changes, debug, asJSON bool
}

// adds reports whether tasks are added to the queue first.
func (o runOptions) adds() bool { return o.file != "" || o.spec != "" }

func runTask(ctx context.Context, std *streams, o runOptions) error {
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
	if err := requireNoConductor(pr); err != nil {
		return err
	}
	lastSeq, err := workflowToContinue(pr, o, state.World)
	if errors.Is(err, errAllOver) {
		return reportAllOver(std, pr, o)
	}
	if err != nil {
		return err
	}
	if err := requireAgents(c, o.text != "" || o.adds()); err != nil {
		return err
	}
	if err := requireTrust(std, pr); err != nil {
		return err
	}
	if err := pair.KillLeftovers(pr); err != nil {
		return err
	}
	if err := beginTask(ctx, std, pr, state.World, o); err != nil {
		return err
	}
	process.Protect() // it holds the secrets of its sessions
	log, closeLog, err := openDebugLog(std, pr, o.debug)
	if err != nil {
		return err
	}
	defer closeLog()
	signals, stop := endSignals()
	defer stop()
	conductor, err := scheduler.Start(ctx, pr, conductor.Options{Headless: true, Debug: log}, nil)
	if err != nil {
		return err
	}
	h := &headless{
		runPrinter: runPrinter{streams: std, asJSON: o.asJSON, printed: printed{seq: state.Seq}, workflow: lastSeq},
		project:    pr, conductor: conductor, queue: o.text == "", signals: signals,
	}
	if err := h.skip(pr); err != nil {
		return errors.Join(err, conductor.Close(false))
	}
	return offerCodes(pr, h.run(ctx))
}

// workflowToContinue refuses when there is nothing to continue, a task that is on hold, and one beside an
// open workflow. It returns the last line of the workflow to continue.
func workflowToContinue(pr *project.Task, o runOptions, w core.World) (uint64, error) {
	open, err := workflow.Open(pr).Find()
	switch {
	case err == nil && o.text != "":
		return 0, failure(fmt.Sprintf("the workflow %s is open and uses the task loop", open.ID),
			"ferrus run continues it; ferrus workflow cancel cancels it")
	case err == nil:
		return open.Seq, nil
	case !errors.Is(err, workflow.ErrNoneOpen):
		return 0, err
	case o.text == "" && !o.adds():
		rows, err := queueRows(pr)
		begins := func(r queue.Row) bool { return r.Moves || elsewhere(r) }
		if err != nil || apart(rows) || slices.ContainsFunc(rows, begins) {
			return 0, err
		}
		rests := w.State == task.Idle || w.State == task.Complete
		switch {
		case rests && allOver(rows):
			return 0, errAllOver
		case rests && slices.ContainsFunc(rows, func(r queue.Row) bool { return !r.Final() }):
			return 0, waiting("no task in the queue can start", "ferrus task shows what each one waits for")
		}
		return 0, requireUnheld(pr, w)
	}
	return 0, nil
}

// requireUnheld refuses a task that stays on hold, unless sessions of it still run.
func requireUnheld(pr *project.Task, w core.World) error {
	if err := requireTask(w); err != nil {
		return err
	}
	if w.Hold == nil || w.Hold.Reason == core.HoldQuit || questionOpen(w) || w.AwaitsApproval() {
		return nil
	}
	registry, err := pr.Registry()
	runs := func(e project.SessionRecord) bool { return e.Status == project.Running }
	if err != nil || slices.ContainsFunc(registry.Agents, runs) {
		return err
	}
	return heldTask(w)
}

// errAllOver reports that every task of the queue has ended, so there is nothing to run.
var errAllOver = errors.New("all tasks in the queue are finished")

// reportAllOver says how the tasks of the queue have ended.
func reportAllOver(std *streams, pr *project.Task, o runOptions) error {
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(std.out, map[string]any{"summary": queueJSON(rows)}, "")
	}
	landed := 0
	for _, r := range rows {
		if r.IsLanded() {
			landed++
		}
	}
	fmt.Fprintf(std.out, "nothing to run: %s of the queue landed, %d cancelled; ferrus task lists them\n",
		plural(landed, "task"), len(rows)-landed)
	return nil
}

// add adds the tasks of the file, or of the specification, to the queue.
func (o runOptions) add(ctx context.Context, std *streams, pr *project.Task) error {
	from := milestonesOf(o.spec)
	if o.file != "" {
		all, err := parseTasks(std, o.file)
		if err != nil {
			return err
		}
		from = given(all)
	}
	items, err := addTo(ctx, pr, from)
	switch {
	case err != nil:
		return err
	case o.asJSON:
		return writeJSON(std.out, map[string]any{"added": items}, "")
	}
	return printAdded(std, pr, items)
}

// clearQuitHolds clears the holds that quitting set, of all tasks.
func clearQuitHolds(ctx context.Context, pr *project.Task, w core.World) error {
	if err := clearQuitHold(ctx, pr, w); err != nil {
		return err
	}
	rows, err := queueRows(pr)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Dir == "" || r.Final() {
			continue
		}
		of, err := pr.OpenTask(r.Dir)
		if err != nil {
			continue // the list says what is wrong
		}
		if s, err := of.World(); err == nil {
			if err := clearQuitHold(ctx, of, s.World); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginTask creates the task, or prepares to continue the one on disk.
func beginTask(ctx context.Context, std *streams, pr *project.Task, w core.World, o runOptions) error {
	if o.text == "" {
		if o.adds() {
			if err := o.add(ctx, std, pr); err != nil {
				return err
			}
		}
		return clearQuitHolds(ctx, pr, w)
	}
	cfg, err := pr.Config()
	if err != nil {
		return err
	}
	if o.changes && !cfg.HQ.Worktree() {
		return misuse("--with-changes needs a worktree; without one the agents see uncommitted changes anyway",
			`set [hq] workspace = "worktree"`)
	}
	c := core.Command{Kind: core.KindCreateTask, By: project.HumanActor(), Text: o.text, Changes: o.changes}
	if _, err := pr.Do(ctx, store.Call{}, c); err != nil {
		return err
	}
	state, err := pr.World()
	if t := state.World.Task; err == nil && t != nil && t.Workspace != nil && t.Workspace.Left > 0 {
		const left = "ferrus: uncommitted changes stay behind in %s; --with-changes copies them into the worktree\n"
		fmt.Fprintf(std.err, left, plural(t.Workspace.Left, "file"))
	}
	if len(queue.LandingOf(w)) > 0 && w.Task.Workspace != nil {
		fmt.Fprintf(std.err, "ferrus: the approved work of %q has not landed; it is kept: ferrus land %s\n",
			text.Sanitize(w.Task.Title), w.Task.ID)
	}
	return err
}
