package conductor

import (
	"maps"

	"ferrus/hq/config"
	"ferrus/hq/core"
)

// SetModel writes the model of a role to ferrus.toml, and changes what the open task has
// pinned; empty means the agent's default.
func (c *Conductor) SetModel(role, model string) error {
	return c.changePin(c.project.SetModel(role, model))
}

// SwitchAgent gives a role to another agent, with its default model: in ferrus.toml, and in
// what the open task has pinned. Permissions stay.
func (c *Conductor) SwitchAgent(role, agent string) error {
	err := ErrClosed
	c.loop.Ask(func() { err = c.local.Ready(agent) })
	if err != nil {
		return err
	}
	return c.changePin(c.project.SwitchAgent(role, agent))
}

// changePin gives the command that changes the pin of the task, after ferrus.toml was edited.
func (c *Conductor) changePin(command *core.Command, err error) error {
	defer c.loop.Ask(c.observed.reload)
	if err != nil || command == nil {
		return err
	}
	_, err = c.Do(c.loop.Context, *command)
	return err
}

// agents returns the custom agents of ferrus.toml, but a pinned one unchanged since it
// was pinned.
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
		if r.Custom() {
			all[r.Agent] = config.Custom{Command: r.Command, InteractiveCommand: r.InteractiveCommand, ACP: r.ACP}
		}
	}
	return all
}

// onlyFerrus reports whether an agent gets ferrus's MCP server alone: the pin of the task says so,
// or ferrus.toml.
func (c *Conductor) onlyFerrus(agent string) bool {
	if pin := c.observed.world().Pinned(); pin != nil {
		for _, r := range []core.RolePin{pin.Supervisor, pin.Executor} {
			if r.Agent == agent {
				return r.MCP == config.MCPOnly
			}
		}
	}
	return c.settings.config.MCP[agent] == config.MCPOnly
}

// noteEdit reports a ferrus.toml that is not the one the open task began with.
func (c *Conductor) noteEdit() {
	pin, cfg := c.observed.world().Pinned(), c.settings.config
	if pin == nil || cfg.Hash == "" || cfg.Hash == pin.Config || c.settings.reported == cfg.Hash {
		return
	}
	c.settings.reported = cfg.Hash
	c.notices.add(true, "%s was edited after the task started: this task keeps its agents, permissions and "+
		"checks, and the edit needs your approval (/model and /switch change the task, too)", config.File)
}
