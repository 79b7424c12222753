package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/pair"
	"ferrus/hq/project"
	"ferrus/hq/workflow"
)

// pairFlags are the flags of ferrus pair.
type pairFlags struct {
	primary, secondary, mode, done string
	limit                          int
	resume, tell                   string
	list, yes, json                bool
}

func pairCommand(std *streams) *cobra.Command {
	var a pairFlags
	c := &cobra.Command{
		Use:   "pair \"task text\"",
		Short: "Run two agents in turns, without tools: one works, one reviews",
		Long: `The primary works on the task in this directory. When it says that it is done, ferrus
runs the check gate, and the secondary reviews what passed. This is for agents that
only read a prompt and print text: they need no MCP server. A turn ends with a line
that the prompt teaches; nothing else that an agent prints decides anything.

  review     the secondary's approval and a passing gate complete the run
  consensus  both must approve the same tree
  single     the gate alone decides; there is no secondary

Ctrl+C stops the session and keeps the run; --resume continues it, from any
directory. --tell leaves a message for the next turn of each agent.`,
		Example: `  ferrus pair "Add retry with backoff to the fetcher"
  ferrus pair "Write the parser" --primary mine --secondary other --mode consensus
  ferrus pair --list
  ferrus pair --resume p-20261120-101500-4f2a`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.validate(cmd, args); err != nil {
				return err
			}
			switch {
			case a.list:
				return listPairs(std, a.json)
			case a.tell != "":
				return tellPair(std, a.tell, joinArgs(args))
			}
			return runPair(cmd.Context(), std, a, joinArgs(args))
		},
	}
	f := c.Flags()
	f.StringVar(&a.primary, "primary", "", "the agent that works (default: [hq.executor] agent)")
	f.StringVar(&a.secondary, "secondary", "", "the agent that reviews (default: [hq.supervisor] agent)")
	f.IntVar(&a.limit, "max-iterations", 20, "turns of the primary before the run fails")
	f.StringVar(&a.mode, "mode", "review", "review, consensus or single")
	f.StringVar(&a.done, "done", "", "the word that ends the primary's work (default: [pair] done)")
	f.StringVar(&a.resume, "resume", "", "continue the run with this `id`")
	f.StringVar(&a.tell, "tell", "", "leave the text as a message for the run with this `id`")
	f.BoolVar(&a.list, "list", false, "list the runs of this project")
	f.BoolVar(&a.yes, "yes", false,
		"trust the check commands without asking; with --resume, accept a change of the checks that you were shown")
	f.BoolVar(&a.json, "json", false, "print one JSON object per line, as in the run's transcript.jsonl")
	return c
}

// validate refuses flags that exclude each other.
func (a *pairFlags) validate(cmd *cobra.Command, args []string) error {
	given := func(names ...string) string {
		for _, n := range names {
			if cmd.Flags().Changed(n) {
				return n
			}
		}
		return ""
	}
	text := joinArgs(args)
	run := []string{"primary", "secondary", "mode", "done"}
	switch {
	case a.list && (text != "" || given(append(run, "max-iterations", "resume", "tell")...) != ""):
		return usageError(cmd, "--list takes no other flag than --json")
	case given("resume") != "" && text != "":
		return usageError(cmd, "a resumed run already has its task; use --tell to leave a message")
	case given("resume") != "" && given(append(run, "tell")...) != "":
		return usageError(cmd, "--resume continues the run with its original settings and takes no --"+
			given(append(run, "tell")...))
	case given("tell") != "" && given(append(run, "max-iterations")...) != "":
		return usageError(cmd, "--tell takes a text and nothing else")
	case given("tell") != "" && text == "":
		return usageError(cmd, "the message is empty")
	case !a.list && given("resume") == "" && text == "":
		return usageError(cmd, "the task text is empty")
	case a.limit == 0: // which is the usual limit elsewhere
		return usageError(cmd, fmt.Sprintf("--max-iterations is %d, but must be 1 to %d", a.limit, pair.MaxIterations))
	}
	if err := a.request(text).Check(); err != nil && !a.list {
		return usageError(cmd, err.Error())
	}
	if given("max-iterations") == "" && a.resume != "" {
		a.limit = 0 // keep the run's
	}
	return nil
}

// request returns the request that the flags describe.
func (a *pairFlags) request(task string) pair.Request {
	return pair.Request{Again: a.resume != "", ID: a.resume, Accept: a.yes, Options: pair.Options{
		Task: task, Primary: a.primary, Secondary: a.secondary, Mode: pair.Mode(a.mode),
		MaxIterations: a.limit, Words: pair.Words{Done: a.done},
	}}
}

// decidingPair is the name of ferrus pair where --yes trusts commands or accepts alarms.
const decidingPair = "pair --yes"

// runPair creates a run, or opens one, and conducts it.
func runPair(ctx context.Context, std *streams, a pairFlags, task string) error {
	command := "pair"
	if a.yes && a.resume != "" { // it accepts alarms
		command = decidingPair
	}
	pr, err := pairProject(std, a.resume, command)
	if err != nil {
		return err
	}
	if err := workflow.Open(pr).CheckNoneHere(); err != nil {
		return err
	}
	r, err := pair.Prepare(ctx, pr, a.request(task), func(d core.Definition) error {
		if trusted, err := pr.Trusted(d); err != nil || trusted {
			return err
		}
		if a.yes {
			if err := actAsHuman(pr, decidingPair); err != nil {
				return err
			}
		}
		return confirmTrust(std, pr, []core.Definition{d}, a.yes)
	})
	if errors.Is(err, pair.ErrComplete) {
		return printCompleted(std, r, a.json)
	}
	if err != nil {
		return err
	}
	if r.Warning != nil {
		fmt.Fprintf(std.err, "ferrus: %s\n", hanging(r.Warning.Error()))
	}
	return conductPair(ctx, std, r, a.json)
}

// pairProject opens the project of a run or, without an id, the project around the
// working directory.
func pairProject(std *streams, id, command string) (*project.Task, error) {
	if id == "" {
		return openAsHuman(command)
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find the run: %w", err)
	}
	dir, err := pair.Locate(here, id)
	if err != nil {
		return nil, err
	}
	return openAtAsHuman(dir, command, nil)
}

// conductPair runs the loop and reports how it ended. A signal stops the session, and
// the run can be resumed.
func conductPair(ctx context.Context, std *streams, r *pair.Run, asJSON bool) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	t := &pairPrinter{streams: std, json: asJSON}
	r.Watch = t.event
	t.head(&r.Manifest)
	err := r.Go(ctx)
	again := "run: ferrus pair " + r.ResumeFlags(err)
	var failed *pair.FailedError
	var needs *pair.NeedsHuman
	switch {
	case err == nil:
		t.tail(&r.Manifest)
		return nil
	case errors.Is(err, pair.ErrComplete):
		return printCompleted(std, r, asJSON)
	case errors.Is(err, pair.ErrCancelled):
		return interruption("interrupted: session stopped, run kept", again)
	case errors.As(err, &failed):
		return failure("the run failed: "+failed.Why, again)
	case errors.As(err, &needs):
		if needs.Accept {
			again = "review the change; if it is right, " + again
		}
		return waiting(needs.Why, again)
	}
	return err
}

func printCompleted(std *streams, r *pair.Run, asJSON bool) error {
	if asJSON {
		return writePairs(std, []pair.Manifest{r.Manifest})
	}
	fmt.Fprintf(std.out, "run %s has been complete since %s; there is nothing to continue\n", r.Manifest.ID,
		localTime(r.Manifest.CompletedAt))
	return nil
}

// tellPair leaves a message for both agents.
func tellPair(std *streams, id, text string) error {
	pr, err := pairProject(std, id, "pair --tell")
	if err != nil {
		return err
	}
	if err := pair.SendMessage(pr, id, "", text); err != nil {
		return err
	}
	fmt.Fprintln(std.out, "message saved; each agent gets it in its next turn")
	return nil
}
