package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
)

// joinArgs returns the text of a command: its arguments, as if quoted together.
func joinArgs(args []string) string { return strings.TrimSpace(strings.Join(args, " ")) }

// requireText requires arguments that are not blank; without is what is said otherwise.
func requireText(without string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if joinArgs(args) == "" {
			return usageError(cmd, without)
		}
		return nil
	}
}

// noArgs accepts no arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(cmd, fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), args[0]))
	}
	return nil
}

// exactSlot accepts the name of one slot.
func exactSlot(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(cmd, fmt.Sprintf("%s takes one slot: %s", cmd.CommandPath(), core.SlotNames()))
	}
	return validSlot(cmd, args[0])
}

func validSlot(cmd *cobra.Command, name string) error {
	if !slices.Contains(core.Slots, core.SlotNamed(name)) {
		return usageError(cmd, fmt.Sprintf("unknown slot %q; use one of: %s", name, core.SlotNames()))
	}
	return nil
}
