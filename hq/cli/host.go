package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"ferrus/hq/conductor"
	"ferrus/hq/host"
)

// hostCommand owns the terminal of one session. The conductor starts it and hands
// over what to run.
func (p *program) hostCommand() *cobra.Command {
	return &cobra.Command{
		Use: host.Command, Short: "Own the terminal of one session", Hidden: true, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			debug.SetGCPercent(50) // there may be many of them
			return conductor.Host(agentNames()...)
		},
	}
}
