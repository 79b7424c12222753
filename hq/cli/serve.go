package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/door"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
)

// roleFlags are the flags for a role and a mode.
type roleFlags struct {
	role, mode, name string
	index            int
	asks             string
}

func (a *roleFlags) flags(c *cobra.Command, name string) {
	c.Flags().StringVar(&a.role, "role", "", "supervisor or executor (required)")
	c.Flags().StringVar(&a.mode, "mode", "",
		"what the session is for; supervisor: "+modeNames(machine.Supervisor)+
			"; executor: "+modeNames(machine.Executor))
	c.Flags().StringVar(&a.name, "agent-name", name, "middle part of the agent id")
	c.Flags().IntVar(&a.index, "agent-index", 0, "last part of the agent id")
}

// modeNames lists what a session of a role can be for.
func modeNames(role machine.Role) string {
	var names []string
	for _, m := range serve.Modes(role) {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func (a *roleFlags) validate(cmd *cobra.Command) error {
	role := machine.Role(a.role)
	if a.role == "" {
		return usageError(cmd, "--role is required: supervisor or executor")
	}
	if role != machine.Supervisor && role != machine.Executor {
		return usageError(cmd, fmt.Sprintf("unknown role %q; use supervisor or executor", a.role))
	}
	if a.mode != "" && !slices.Contains(serve.Modes(role), core.Mode(a.mode)) {
		return usageError(cmd,
			fmt.Sprintf("unknown mode %q of this role; use one of: %s", a.mode, modeNames(role)))
	}
	if a.asks != "" && a.asks != string(serve.AsksToRead) && a.asks != string(serve.AsksToEdit) {
		return usageError(cmd, fmt.Sprintf("unknown value %q of --ask; use read or edit", a.asks))
	}
	if a.index < 0 {
		return usageError(cmd, "--agent-index must not be negative")
	}
	return nil
}

func serveCommand(std *streams) *cobra.Command {
	var a roleFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve ferrus's MCP tools to one agent over stdio",
		Long: `Serves the loop to one agent as MCP tools over standard input and output. HQ and ferrus
run start it for the agents they launch; an agent that you start by hand can use it too.
It exits when its input closes, and releases its session's lease.

FERRUS_PROJECT names the project; the default is the one that contains the working
directory. FERRUS_WAIT_SECS limits each wait.`,
		Example: "  ferrus serve --role executor --agent-name mine",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.validate(cmd); err != nil {
				return err
			}
			return runServe(cmd.Context(), std, a)
		},
	}
	a.flags(c, "unknown")
	c.Flags().StringVar(&a.asks, "ask", "",
		"offer a tool with which the client asks you for permission; the agent may: read, edit")
	return c
}

func runServe(ctx context.Context, std *streams, a roleFlags) error {
	runsOn(100)
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	if socket := os.Getenv(door.Env); socket != "" { // inside the sandbox: the server is outside
		return door.Relay(ctx, socket, std.in, drawnOn(std.out))
	}
	pr, err := openSessionTask()
	if err != nil {
		return err
	}
	return serve.Run(ctx, serve.Options{
		Project: pr, Role: machine.Role(a.role), Mode: core.Mode(a.mode), AgentName: a.name, Index: a.index,
		Nonce: os.Getenv("FERRUS_NONCE"), WaitSecs: waitSecs(), Version: versionString(), Owner: ownerIn(pr),
		Asks: serve.Asks(a.asks),
		In:   std.in, Out: drawnOn(std.out), Log: std.err,
	})
}

// openSessionTask opens the task that FERRUS_TASK names. A session of another task is refused.
func openSessionTask() (*project.Task, error) {
	pr, err := openProject()
	if err != nil {
		return nil, err
	}
	named := os.Getenv(project.TaskEnv)
	if owner, inside := host.OwnerOfSelf(pr.Dir); inside && owner.Task != named {
		return nil, failure("this session belongs to a different task than "+project.TaskEnv+" names",
			"leave "+project.TaskEnv+" as ferrus set it")
	}
	return pr.OpenTask(named)
}

// ownerIn returns a function that finds the session of a project that this process belongs
// to, as its host knows it.
func ownerIn(pr *project.Task) func() (project.SessionRecord, bool) {
	return func() (project.SessionRecord, bool) {
		o, ok := host.OwnerOfSelf(pr.Dir)
		return project.SessionRecord{
			Role: machine.Role(o.Role), Mode: core.Mode(o.Mode), Name: o.Name, Slot: core.Slot(o.Slot),
			Session: o.Session, Process: o.Agent,
		}, ok
	}
}

// waitSecs returns the client's limit for one call, which the launcher passes; 0 means
// none.
func waitSecs() int {
	n, err := strconv.Atoi(os.Getenv("FERRUS_WAIT_SECS"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
