package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ferrus/checks/lane"
	"ferrus/hq/conductor"
	"ferrus/hq/core"
	"ferrus/hq/demo"
	"ferrus/hq/project"
	"ferrus/hq/scheduler"
	"ferrus/hq/tui"
	"ferrus/machine"
	"ferrus/machine/flow"
	"ferrus/machine/task"
)

// demonstration is one run of demo.
type demonstration struct {
	*streams
	headless, auto, keep bool
	speed                float64
	dir                  string
	workflow, request    string // of a workflow; empty: only a task
	tasks                int    // how many work at the same time; 0: the story of one
}

func demoCommand(std *streams) *cobra.Command {
	d := &demonstration{streams: std}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch the whole loop in a throwaway repository",
		Long: `Creates a git repository with a small Go module and lets built-in agents work on it:
a test fails, the executor consults the supervisor, the reviewer rejects once, the
executor asks you a question, and the task is approved. The checks, the state and the
tools are real; only the agents follow a script. Needs Go and git.

With --tasks 4 there are four tasks, two of which wait for another: one fails its gate,
one asks you a question, one hits a usage limit, and two change the same lines, so the
later one returns with a conflict. Approved work lands by itself.

The repository is deleted at the end, unless you chose it with --dir or pass --keep.`,
		Example: "  ferrus demo\n  ferrus demo --headless\n  ferrus demo --tasks 4\n" +
			"  ferrus demo --dir /tmp/story --speed 2",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.speed < 0 || d.speed > 60 {
				return usageError(cmd, "--speed must be 0 to 60, the seconds of one step")
			}
			if !cmd.Flags().Changed("speed") {
				d.speed = -1
			}
			if d.workflow != "" && flow.Of(flow.Type(d.workflow)) == nil {
				return usageError(cmd, unknownType(d.workflow))
			}
			if cmd.Flags().Changed("tasks") && (d.tasks < 1 || d.tasks > demo.MostTasks || d.workflow != "") {
				return usageError(cmd, fmt.Sprintf("--tasks must be 1 to %d, and excludes --workflow", demo.MostTasks))
			}
			return d.run(cmd.Context())
		},
	}
	c.Flags().BoolVar(&d.headless, "headless", false,
		"print one line per transition instead of opening HQ (implies --auto)")
	c.Flags().BoolVar(&d.auto, "auto", false, "answer the executor's question automatically")
	c.Flags().Float64Var(&d.speed, "speed", 0, "seconds that each agent step takes (0 headless, 1 in HQ)")
	c.Flags().StringVar(&d.dir, "dir", "", "use and keep this directory, and continue a demo found there")
	c.Flags().StringVar(&d.workflow, "workflow", "", "run a workflow: feature, debug, refactor or oneshot")
	c.Flags().StringVar(&d.request, "request", "",
		"with --workflow: the track the agents take (hotfix, thorough, polish, overhaul), or publish")
	c.Flags().IntVar(&d.tasks, "tasks", 0, "run this many tasks at the same time, 1 to 4")
	c.Flags().BoolVar(&d.keep, "keep", false, "keep the repository at the end")
	return c
}

func (d *demonstration) run(ctx context.Context) error {
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			return failure("the demo needs "+program+", which is not on PATH", "install it and try again")
		}
	}
	d.headless = d.headless || d.requireTerminal(os.Getenv("TERM")) != nil
	d.auto = d.auto || d.headless
	clean, err := d.makeDir()
	if err != nil {
		return err
	}
	defer clean()
	scaffold := demo.Scaffold
	if d.tasks > 0 {
		scaffold = demo.ScaffoldTasks
	}
	if err := scaffold(d.dir); err != nil {
		return err
	}
	if _, err := initStore(ctx, d.dir); err != nil {
		return err
	}
	pr, err := openAt(d.dir)
	if err != nil {
		return err
	}
	if err := d.trustDemoChecks(pr); err != nil {
		return err
	}
	return d.ended(d.start(ctx, pr))
}

// ended returns the error of a demo whose repository is removed, with a hint that does not need it.
func (d *demonstration) ended(err error) error {
	var f *exitError
	if d.keep || !errors.As(err, &f) {
		return err
	}
	return &exitError{f.code, f.what, []string{"ferrus demo starts another; with --keep its repository stays"}}
}

// trustDemoChecks trusts the commands that the demo wrote, and asks about others, in a
// directory that was changed since.
func (d *demonstration) trustDemoChecks(pr *project.Task) error {
	cfg, err := pr.Config()
	if err != nil {
		return err
	}
	own := project.GateDefinition(cfg)
	if lines := own.Lines(); slices.Equal(lines, demo.Checks) || slices.Equal(lines, demo.TasksChecks) {
		return pr.Trust(own)
	}
	return requireTrust(d.streams, pr)
}

// makeDir creates the demo's directory and returns how to clean up after it.
func (d *demonstration) makeDir() (clean func(), err error) {
	if d.dir != "" {
		d.keep = true
		d.dir, err = filepath.Abs(d.dir)
		return func() { fmt.Fprintln(d.out, "kept:", d.dir) }, err
	}
	if d.dir, err = os.MkdirTemp("", "ferrus-demo-"); err != nil {
		return nil, fmt.Errorf("create the demo's directory: %w", err)
	}
	return func() {
		if d.keep {
			fmt.Fprintln(d.out, "kept:", d.dir)
			return
		}
		if err := os.RemoveAll(d.dir); err != nil {
			fmt.Fprintf(d.err, "ferrus: remove the demo's directory: %v\n", err)
			return
		}
		fmt.Fprintln(d.out, "removed the demo's repository:", d.dir)
		fmt.Fprintln(d.out, "next, in your own repository: ferrus init, then ferrus")
	}, nil
}

// start starts the demo, or continues one.
func (d *demonstration) start(ctx context.Context, pr *project.Task) error {
	if err := requireNoConductor(pr); err != nil {
		return err
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	if err := clearQuitHolds(ctx, pr, state.World); err != nil {
		return err
	}
	several, err := d.addTasks(ctx, pr)
	if err != nil {
		return err
	}
	d.setPace()
	var signals <-chan os.Signal
	if d.headless { // a screen catches its own
		var stop func()
		signals, stop = endSignals()
		defer stop()
	}
	conductor, err := scheduler.Start(ctx, pr, conductor.Options{StopOnExit: true, Headless: d.headless}, nil)
	if err != nil {
		return err
	}
	asked := time.Now()
	if d.workflow != "" {
		over, err := startDemoWorkflow(ctx, pr, flow.Type(d.workflow), d.request)
		switch {
		case err != nil:
			return d.closeWith(conductor, err)
		case over != nil && d.headless:
			return d.closeWith(conductor, (&runPrinter{streams: d.streams}).printWorkflowEnd(*over))
		}
	} else if !several && conductor.View().State.World.State == task.Idle { // a killed demo may have left a task
		if err := conductor.Want(core.Request{Kind: core.ModeTask, Role: machine.Supervisor}); err != nil {
			return d.closeWith(conductor, err)
		}
	}
	if d.auto {
		stop := d.startAnswering(ctx, pr)
		defer stop()
	}
	if d.headless {
		fmt.Fprintln(d.out, "running the demo in", d.dir)
		if cache := lane.Present("GOCACHE"); isEmpty(cache) {
			fmt.Fprintln(d.out, "the first check also compiles Go's standard library, which can take minutes:",
				cache, "is empty")
		}
		h := &headless{
			runPrinter: runPrinter{streams: d.streams, printed: printed{seq: state.Seq}},
			project:    pr, conductor: conductor, demo: true, queue: several, attended: true, planned: asked,
			signals: signals,
		}
		if err := h.skip(pr); err != nil {
			return d.closeWith(conductor, err)
		}
		return h.run(ctx)
	}
	return runHQ(ctx, d.streams, pr, conductor, make(chan tui.Client))
}

// isEmpty reports whether a directory has no files.
func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return len(entries) == 0 && (err == nil || errors.Is(err, os.ErrNotExist))
}

func (d *demonstration) closeWith(c *scheduler.Scheduler, err error) error {
	if closed := c.Close(false); closed != nil {
		fmt.Fprintf(d.err, "ferrus: %v\n", closed)
	}
	return err
}

// setPace sets how long a step takes, in the environment that the agents inherit.
func (d *demonstration) setPace() {
	speed := d.speed
	if speed < 0 {
		speed = map[bool]float64{true: 0, false: 1}[d.headless]
	}
	step := time.Duration(speed * float64(time.Second))
	os.Setenv(stepEnv, step.String()) //nolint:errcheck // a fixed, valid name
}
