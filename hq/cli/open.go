package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/gate"
	"ferrus/hq/human"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/ui"
)

// agentNames returns the built-in agents, the default ones first.
func agentNames() config.Names {
	all := config.Names{agent.Default("supervisor"), agent.Default("executor")}
	for _, n := range agent.Names() {
		if n != all[0] && n != all[1] {
			all = append(all, n)
		}
	}
	return all
}

// keyActions returns the actions of HQ's keys, for the table [keys].
func keyActions() config.Actions {
	all := make(config.Actions, 0, len(ui.Keys))
	for _, k := range ui.Keys {
		all = append(all, config.Action{Name: string(k.Action), Fixed: k.Fixed, Places: uint32(k.In),
			Keys: k.Keys, Read: k.Read})
	}
	return all
}

// agentMeters returns what those agents report of their usage.
func agentMeters() config.Meters {
	all := config.Meters{}
	for _, n := range agent.Names() {
		tokens, cost := agent.ReportsUsage(n)
		all[n] = config.Meter{Tokens: tokens, Cost: cost}
	}
	return all
}

// openProject opens the project that encloses the working directory.
func openProject() (*project.Task, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	return openAt(dir)
}

// openAt opens a project that runs only commands you trust. A task of an earlier
// ferrus is imported.
func openAt(dir string) (*project.Task, error) {
	p, err := project.OpenKept(dir, store.UserHeads(), agentNames()...)
	if older := (*store.OlderError)(nil); errors.As(err, &older) {
		p, err = project.Import(context.Background(), dir, store.UserHeads(), agentNames()...)
	}
	if err == nil {
		err = equip(p)
	}
	return p, err
}

// equip gives a project what this program knows.
func equip(t *project.Task) (err error) {
	t.Actions, t.Meters, t.Lanes = keyActions(), agentMeters(), gate.LanesDir(t.Dir)
	t.Trusts, err = project.UserTrustStore()
	return err
}

// openValid opens a project with a valid ferrus.toml.
func openValid() (*project.Task, config.Config, error) {
	p, err := openProject()
	if err != nil {
		return nil, config.Config{}, err
	}
	c, err := p.Config()
	return p, c, err
}

func findProject() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	return project.Find(here)
}

// openAsHuman opens the project that encloses the working directory, for a command that
// agents may not give.
func openAsHuman(command string) (*project.Task, error) { return openAsHumanFor(command, nil) }

// openAsHumanFor is like [openAsHuman] for a command that names something. Find finds it before HQ asks
// whether it is you who gives the command, so that you confirm nothing in vain.
func openAsHumanFor(command string, find func(*project.Task) error) (*project.Task, error) {
	dir, err := findProject()
	if err != nil {
		return nil, err
	}
	return openAtAsHuman(dir, command, find)
}

// openAtAsHuman is [openAsHumanFor] for a project elsewhere; find may be nil.
func openAtAsHuman(dir, command string, find func(*project.Task) error) (*project.Task, error) {
	p, err := openAt(dir)
	if err != nil {
		return nil, err
	}
	if err := refuseSession(p, command); err != nil {
		return nil, err
	}
	if find != nil {
		if err := find(p); err != nil {
			return nil, err
		}
	}
	return p, actAsHuman(p, command)
}

// actAsHuman makes sure that it is you who gives a command, and records it.
func actAsHuman(p *project.Task, command string) error {
	p.Via = human.Self()
	if !slices.Contains(undecided, command) {
		if err := requireHuman(context.Background(), p, command); err != nil {
			return err
		}
	}
	return p.RecordRepository()
}

// openWorld opens the project that encloses the working directory and loads its state.
func openWorld() (pr *project.Task, state store.State[core.World], err error) {
	if pr, err = openProject(); err == nil {
		state, err = pr.World()
	}
	return pr, state, err
}

// openWorldAsHuman is like [openWorld] for a command that agents may not give.
func openWorldAsHuman(command string) (pr *project.Task, state store.State[core.World], err error) {
	if pr, err = openAsHuman(command); err == nil {
		state, err = pr.World()
	}
	return pr, state, err
}
