package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/serve"
	"ferrus/machine"
)

// roleFlags is a role and a mode as flags give them.
type roleFlags struct {
	role, mode, name string
	index            int
}

func (a *roleFlags) flags(c *cobra.Command, name string) {
	c.Flags().StringVar(&a.role, "role", "", "supervisor or executor; must be given")
	c.Flags().StringVar(&a.mode, "mode", "", "what the session is for: "+strings.Join(roleModes(machine.Supervisor), ", ")+"; "+strings.Join(roleModes(machine.Executor), ", "))
	c.Flags().StringVar(&a.name, "agent-name", name, "middle of the agent id")
	c.Flags().IntVar(&a.index, "agent-index", 0, "end of the agent id")
}

// roleModes are what a session of a role can be for.
func roleModes(role machine.Role) []string {
	switch role {
	case machine.Supervisor:
		return []string{"plan", "spec", "task", "review", "consult", "phase", "free"}
	case machine.Executor:
		return []string{"work", "resume", "free"}
	}
	return []string{"free"}
}

func (a *roleFlags) validate(cmd *cobra.Command) error {
	role := machine.Role(a.role)
	if a.role != "" && role != machine.Supervisor && role != machine.Executor {
		return usageError(cmd, fmt.Sprintf("there is no role %q: use supervisor or executor", a.role))
	}
	if a.mode != "" && !slices.Contains(roleModes(role), a.mode) {
		return usageError(cmd, fmt.Sprintf("there is no mode %q of this role: use %s", a.mode, strings.Join(roleModes(role), ", ")))
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
		Short: "Be the MCP server of one agent, on standard input and output",
		Long: `Offers the loop to an agent as MCP tools. HQ and ferrus run start it for the
agents they launch; an agent that you start yourself may use it too. It ends when
its input ends and releases what it held.

FERRUS_PROJECT names the project; without it, it is looked for upward from the
working directory. FERRUS_WAIT_SECS bounds one wait.`,
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
	return c
}

func runServe(ctx context.Context, std *streams, a roleFlags) error {
	pr, err := openProject()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return serve.Run(ctx, serve.Options{
		Project: pr, Role: machine.Role(a.role), Mode: core.Mode(a.mode), AgentName: a.name, Index: a.index,
		Nonce: os.Getenv("FERRUS_NONCE"), WaitSecs: waitSecs(), Version: versionString(),
		In: std.in, Out: std.out, Log: std.err,
	})
}

// waitSecs is the cap of the client that the launcher knows; 0 means none.
func waitSecs() int {
	n, err := strconv.Atoi(os.Getenv("FERRUS_WAIT_SECS"))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
