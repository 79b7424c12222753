package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"ferrus/hq/demo"

	"github.com/spf13/cobra"
)

// stepEnv tells the demo's agents how long a step takes.
const stepEnv = "DEMO_STEP"

// demoAgentCommand works in one role of the demo. The demo's adapter starts it.
func demoAgentCommand(std *streams) *cobra.Command {
	var a roleFlags
	c := &cobra.Command{
		Use: "demo-agent", Short: "Work in one role of the demo", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.validate(cmd); err != nil {
				return err
			}
			return runDemoAgent(cmd.Context(), std, a)
		},
	}
	a.flags(c, "demo")
	return c
}

func runDemoAgent(ctx context.Context, std *streams, a roleFlags) error {
	dir, err := findProject()
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the workspace: %w", err)
	}
	step, _ := time.ParseDuration(os.Getenv(stepEnv)) // not set: no pause
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	return demo.Agent(ctx, demo.Options{
		Role: a.role, Mode: a.mode, Name: a.name, Index: a.index, Project: dir, Dir: here,
		Nonce: os.Getenv("FERRUS_NONCE"), WaitSecs: waitSecs(), Speed: step, Plain: os.Getenv("NO_COLOR") != "",
		Out: drawnOn(std.out),
	})
}
