package cli

import (
	"errors"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"ferrus/hq/gate"
	"ferrus/hq/host"
	"ferrus/hq/project"
	"ferrus/hq/session"
	"ferrus/store"
)

// hostCommand owns the terminal of one session. The conductor starts it and passes
// what to run.
func hostCommand(*streams) *cobra.Command {
	return &cobra.Command{
		Use: host.Command, Short: "Own one session's terminal", Hidden: true, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			debug.SetGCPercent(50) // there may be many of them
			return session.Host(agentNames()...)
		},
	}
}

// gateCommand runs one ticket of the gate where no conductor does. ferrus starts it.
func gateCommand(*streams) *cobra.Command {
	var ticket uint64
	var standby bool
	c := &cobra.Command{
		Use: "gate", Short: "Run one ticket of the check gate", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pr, err := openProject()
			if err == nil {
				pr, err = pr.OpenTask(os.Getenv(project.TaskEnv))
			}
			if err != nil {
				return err
			}
			if standby {
				if ticket = gate.AwaitTicket(os.Stdin); ticket == 0 {
					return nil
				}
			}
			ctx, stop := untilInterrupted(cmd.Context())
			defer stop()
			if err = gate.Run(ctx, pr, ticket, gate.Options{}); errors.As(err, new(*store.LockedError)) {
				return nil // another one runs it
			}
			return err
		},
	}
	c.Flags().Uint64Var(&ticket, "ticket", 0, "number of the check that asked for it")
	c.Flags().BoolVar(&standby, "standby", false, "wait for that number on standard input")
	return c
}
