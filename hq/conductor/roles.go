package conductor

import (
	"maps"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/machine"
)

// SetModel writes the model of a role to ferrus.toml, and changes what the open task has
// pinned; empty means the agent's default.
func (c *Conductor) SetModel(role, model string) error {
	edited, err := config.SetModel(c.project.Dir, role, model)
	if err != nil {
		return err
	}
	return c.changePin(role, edited, func(r *core.RolePin) error { r.Model = model; return nil })
}

// SwitchAgent gives a role to another agent, with its default model: in ferrus.toml, and in
// what the open task has pinned. Permissions stay.
func (c *Conductor) SwitchAgent(role, agent string) error {
	err := ErrClosed
	c.loop.Ask(func() { err = c.local.Ready(agent) })
	if err != nil {
		return err
	}
	if err := c.requirePresentTrust(); err != nil {
		return err // the agent's program is the one that ferrus.toml names now
	}
	edited, err := config.SetAgent(c.project.Dir, role, agent)
	if err != nil {
		return err
	}
	return c.changePin(role, edited, func(r *core.RolePin) error {
		cfg, err := c.project.Config()
		own := cfg.Agent[agent]
		r.Agent, r.Model, r.Command, r.InteractiveCommand = agent, "", own.Command, own.InteractiveCommand
		return err
	})
}

// requirePresentTrust returns an error if what ferrus.toml runs and allows now is not trusted.
func (c *Conductor) requirePresentTrust() error {
	cfg, err := c.project.Config()
	if err != nil {
		return err
	}
	return c.project.RequireTrust(project.GateDefinition(cfg))
}

// changePin changes the agent of a role in the pin of the task, after ferrus.toml was
// edited likewise.
func (c *Conductor) changePin(role string, e config.Edited, change func(*core.RolePin) error) error {
	defer c.loop.Ask(c.observed.reload)
	state, err := c.project.World()
	if err != nil || state.World.Pinned() == nil {
		return err // ferrus.toml counts
	}
	r := *state.World.Pinned().Of(machine.Role(role))
	if err := change(&r); err != nil {
		return err
	}
	_, err = c.Do(c.loop.Context, core.Command{Kind: core.KindPin, Pin: &core.PinChange{
		Role: machine.Role(role), RolePin: r, Before: e.Before, After: e.After,
	}})
	return err
}

// agents returns the custom agents: those of ferrus.toml, but a pinned one unchanged.
func (c *Conductor) agents() map[string]config.Custom {
	own := c.settings.config.Agent
	pin := c.observed.world().Pinned()
	if pin == nil {
		return own
	}
	all := map[string]config.Custom{}
	maps.Copy(all, own)
	for _, r := range []core.RolePin{pin.Supervisor, pin.Executor} {
		delete(all, r.Agent)
		if len(r.Command) > 0 {
			all[r.Agent] = config.Custom{Command: r.Command, InteractiveCommand: r.InteractiveCommand}
		}
	}
	return all
}

// noteEdit reports a ferrus.toml that is not the one the open task began with.
func (c *Conductor) noteEdit() {
	pin, cfg := c.observed.world().Pinned(), c.settings.config
	if pin == nil || cfg.Hash == "" || cfg.Hash == pin.Config || c.settings.reported == cfg.Hash {
		return
	}
	c.settings.reported = cfg.Hash
	c.notices.add(true, "%s was edited after the task began: agents, permissions and checks of this task stay as "+
		"they were, and the edit needs your approval (/model and /switch change the task, too)", config.File)
}
