package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ferrus/hq/core"
	"ferrus/hq/project"
)

func tellCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "tell <slot> <text>",
		Short: "Send a message to a slot's session",
		Long: `Sends a message to the session of a slot (` + core.SlotNames() + `). If
the session is waiting in a tool, that tool returns the message; otherwise the session
is interrupted and the next one starts with it. If the session fails, the next one gets
the message again. Without HQ or ferrus run, the message is kept until one of them runs.
With - the text is read from standard input. A long text (up to 1 MiB) reaches the agent
as a file.`,
		Example: `  ferrus tell executor "use the existing client, do not write a new one"
  ferrus tell executor - < notes.md`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || joinArgs(args[1:]) == "" {
				return usageError(cmd, "tell takes a slot and a text")
			}
			return validSlot(cmd, args[0])
		},
		RunE: func(_ *cobra.Command, args []string) error { return runTell(std, args[0], joinArgs(args[1:])) },
	})
}

func runTell(std *streams, name, text string) error {
	if text == "-" {
		read, err := readText(std, "-", project.MaxMessage)
		if err != nil {
			return err
		}
		text = read
	}
	pr, err := std.chosenAsHuman("tell")
	if err != nil {
		return err
	}
	if runs, err := hasSession(pr, core.SlotNamed(name)); err != nil {
		return err
	} else if !runs && std.present != nil && inQueue(pr) != "" {
		return failure(fmt.Sprintf("the %s has no session", name))
	}
	if err := pr.PostMessage(core.SlotNamed(name), text); err != nil {
		return err
	}
	_, held, err := pr.Store.Holder(project.ConductorLock)
	if err != nil {
		return err
	}
	if held {
		words := "message kept for the next session of the %s\n"
		if runs, err := hasSession(pr, core.SlotNamed(name)); err != nil {
			return err
		} else if runs {
			words = "message sent to the %s\n"
		}
		fmt.Fprintf(std.out, words, name)
		return nil
	}
	fmt.Fprintf(std.out, "message saved for the %s; it is sent when HQ or ferrus run starts\n", name)
	return nil
}

// hasSession reports whether a session of a slot runs.
func hasSession(pr *project.Task, slot core.Slot) (bool, error) {
	registry, err := pr.Registry()
	return slices.ContainsFunc(registry.Agents, func(e project.SessionRecord) bool {
		return e.Slot == slot && e.Status == project.Running
	}), err
}
