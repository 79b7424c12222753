package project

import (
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine"
)

// SwitchAgent gives a role to another agent of ferrus.toml, with its default model. It returns
// the command of the human's that changes what the open task has pinned likewise; nil: no task
// is open.
func (t *Task) SwitchAgent(role, agent string) (*core.Command, error) {
	cfg, err := t.Config()
	if err == nil { // The agent's program is the one that ferrus.toml names at that time.
		err = t.RequireTrust(GateDefinition(cfg))
	}
	if err != nil {
		return nil, err
	}
	edited, err := config.SetAgent(t.Dir, role, agent)
	if err != nil {
		return nil, err
	}
	own := cfg.Agent[agent]
	return t.changePin(role, edited, func(r *core.RolePin) {
		r.Agent, r.Model, r.MCP = agent, "", pinnedMCP(cfg, agent)
		r.Command, r.InteractiveCommand, r.ACP = own.Command, own.InteractiveCommand, own.ACP
	})
}

// SetModel gives a role another model of its agent; empty means the agent's default. It returns
// what [Task.SwitchAgent] does.
func (t *Task) SetModel(role, model string) (*core.Command, error) {
	edited, err := config.SetModel(t.Dir, role, model)
	if err != nil {
		return nil, err
	}
	return t.changePin(role, edited, func(r *core.RolePin) { r.Model = model })
}

// changePin returns the command that changes a role in the pin of the open task, after
// ferrus.toml was edited likewise.
func (t *Task) changePin(role string, e config.Edited, change func(*core.RolePin)) (*core.Command, error) {
	state, err := t.World()
	if err != nil || state.World.Pinned() == nil {
		return nil, err // ferrus.toml counts
	}
	r := *state.World.Pinned().Of(machine.Role(role))
	change(&r)
	return &core.Command{Kind: core.KindPin, By: HumanActor(), Pin: &core.PinChange{
		Role: machine.Role(role), RolePin: r, Before: e.Before, After: e.After,
	}}, nil
}

// FallBack returns ferrus's command that gives a role of the open task to the next usable agent
// that the pin names for that; nil: there is none. ferrus.toml keeps the agent that it names.
func (t *Task) FallBack(role machine.Role, usable func(agent string) bool) (*core.Command, error) {
	state, err := t.World()
	if err != nil || state.World.Pinned() == nil {
		return nil, err
	}
	r := *state.World.Pinned().Of(role)
	next := slices.IndexFunc(r.Fallback, func(name string) bool { return name != r.Agent && usable(name) })
	if next < 0 {
		return nil, nil
	}
	cfg, err := t.Config()
	if err == nil { // The agent's program is the one that ferrus.toml names at that time.
		err = t.RequireTrust(GateDefinition(cfg))
	}
	if err != nil {
		return nil, err
	}
	r.Agent, r.Model = r.Fallback[next], ""
	own := cfg.Agent[r.Agent]
	r.MCP = pinnedMCP(cfg, r.Agent)
	r.Command, r.InteractiveCommand, r.ACP = own.Command, own.InteractiveCommand, own.ACP
	return &core.Command{Kind: core.KindPin, By: FerrusActor(), Pin: &core.PinChange{Role: role, RolePin: r}}, nil
}
