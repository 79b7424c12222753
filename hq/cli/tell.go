package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"ferrus/hq/conductor"
)

func tellCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "tell <slot> <text>",
		Short: "Tell the session of a slot something",
		Long: `Leaves a message for the session of a slot (planner, executor, consultant,
reviewer). A session whose tool waits gets it as that tool's answer; another is
interrupted, and the next one begins with it. A session that fails has not taken
it to heart: the next one is told again. Without HQ or ferrus run it waits.`,
		Example: `  ferrus tell executor "use the client that is there, do not write one"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || joinArgs(args[1:]) == "" {
				return usageError(cmd, "ferrus tell takes a slot and a text")
			}
			return validSlot(cmd, args[0])
		},
		RunE: func(_ *cobra.Command, args []string) error { return runTell(std, args[0], joinArgs(args[1:])) },
	}
}

func runTell(std *streams, name, text string) error {
	pr, err := openAsHuman("tell")
	if err != nil {
		return err
	}
	if err := pr.Tell(slotOf(name), text); err != nil {
		return err
	}
	_, held, err := pr.Store.Holder(conductor.LockName)
	if err != nil {
		return err
	}
	if held {
		fmt.Fprintf(std.out, "the %s is told\n", name)
		return nil
	}
	fmt.Fprintf(std.out, "kept for the %s\nno HQ runs: it is told when one does\n", name)
	return nil
}
