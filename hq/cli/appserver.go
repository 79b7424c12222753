package cli

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ferrus/agent/appserver"
)

// appServerCommand makes a program that speaks the app-server protocol an agent of the Agent Client
// Protocol. ferrus acp starts it.
func appServerCommand(std *streams) *cobra.Command {
	o := appserver.Options{In: std.in, Out: drawnOn(std.out), Log: std.err, Version: versionString()}
	c := &cobra.Command{
		Use: "app-server", Short: "Speak the Agent Client Protocol for a program with an app server", Hidden: true,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, command []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
			defer stop()
			o.Command = command
			if err := appserver.Run(ctx, o); err != nil && ctx.Err() == nil {
				return err
			}
			return nil
		},
	}
	c.Flags().StringVar(&o.Approval, "approval", "untrusted", "the program's approval policy")
	c.Flags().StringVar(&o.Sandbox, "sandbox", "read-only", "the program's own sandbox")
	c.Flags().StringVar(&o.Model, "model", "", "its model")
	return c
}
