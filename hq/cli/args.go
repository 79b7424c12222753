package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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

// noArgs accepts no arguments. An argument of a command that has subcommands is meant as one.
func noArgs(cmd *cobra.Command, args []string) error {
	if cmd.HasSubCommands() {
		return unknownCommand(cmd, args)
	}
	if len(args) > 0 {
		return usageError(cmd, fmt.Sprintf("%s takes no arguments, got %q", cmd.CommandPath(), args[0]))
	}
	return nil
}

// atMostOne accepts one argument of a kind, or none.
func atMostOne(kind string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usageError(cmd, fmt.Sprintf("%s takes at most one %s, got %q", cmd.CommandPath(), kind, args[1]))
		}
		return nil
	}
}

// flagError reports a flag that does not exist or has an invalid value.
func flagError(cmd *cobra.Command, err error) error {
	what := err.Error()
	if n := (*strconv.NumError)(nil); errors.As(err, &n) {
		what = strings.TrimSuffix(what, n.Error()) + takes(n)
	}
	return usageError(cmd, what)
}

// takes says which values a flag accepts.
func takes(n *strconv.NumError) string {
	switch {
	case errors.Is(n, strconv.ErrRange):
		return "the number is too large"
	case n.Func == "ParseBool":
		return "it takes true or false"
	case n.Func == "ParseUint":
		return "it takes a whole number that is not negative"
	case n.Func == "ParseFloat":
		return "it takes a number"
	}
	return "it takes a whole number"
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
