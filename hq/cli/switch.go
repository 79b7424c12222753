package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/queue"
	"ferrus/machine"
	"ferrus/store"
)

func switchCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "switch <role> <agent>",
		Short: "Assign a role to another agent",
		Long: `Assigns a role (supervisor or executor) to another agent, with that agent's default
model. It changes ferrus.toml and the agents pinned with the task, and the journal
records it as your decision. A running session continues; the role's next session uses
the new agent. Permissions do not change, nor do the agents of other open tasks.`,
		Example: "  ferrus switch executor my-agent\n  ferrus switch --task 14 executor my-agent",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError(cmd, "switch takes a role and an agent")
			}
			if r := machine.Role(args[0]); r != machine.Supervisor && r != machine.Executor {
				return usageError(cmd, fmt.Sprintf("unknown role %s; use supervisor or executor", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSwitch(cmd.Context(), std, args[0], args[1])
		},
	})
}

func runSwitch(ctx context.Context, std *streams, role, name string) error {
	pr, err := std.chosenAsHuman("switch")
	if err != nil {
		return err
	}
	cfg, err := pr.Config()
	if err != nil {
		return err
	}
	adapter, err := agent.Lookup(name, customAgents(cfg))
	if err != nil {
		return err
	}
	if worker, err := workerOf(pr); err != nil {
		return err
	} else if worker == "" { // else it has to be installed there
		if err := agent.Installed(adapter); err != nil {
			return err
		}
	}
	if err := requireTrust(std, pr); err != nil {
		return err
	}
	pinned, err := pr.SwitchAgent(ctx, role, name, func(c core.Command) error {
		_, err := pr.Do(ctx, store.Call{}, c)
		return err
	})
	if err != nil {
		return err
	}
	if !pinned {
		std.sayNone(fmt.Sprintf("the %s of the next task is %s", role, name))
		return nil
	}
	fmt.Fprintf(std.out, "the %s uses %s from its next session\n", role, name)
	return nil
}

// workerOf returns the worker that a task of the queue runs on; empty: it runs on this machine.
func workerOf(of *project.Task) (string, error) {
	q, err := queue.Open(of.Main())
	if errors.Is(err, store.ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	s, err := q.Load()
	is := func(i queue.Item) bool { return i.Dir != "" && i.Dir == of.ID && !i.Final() }
	at := slices.IndexFunc(s.World.Items, is)
	if err != nil || at < 0 {
		return "", err
	}
	return s.World.Items[at].Worker, nil
}
