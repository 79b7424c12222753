package project

import (
	"context"
	"errors"
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/core"
	"ferrus/machine"
	"ferrus/store"
)

// SwitchAgent gives a role to another agent of ferrus.toml, with its default model. With do it executes the command of
// the human's that changes what the open task has pinned likewise; it is pinned if there is such a task. The other open
// tasks keep their agents, and the edit raises no alarm in them. It holds [SwitchLock] meanwhile.
func (t *Task) SwitchAgent(ctx context.Context, role, agent string, do func(core.Command) error) (
	pinned bool, err error) {
	cfg, err := t.Config()
	if err == nil { // The agent's program is the one that ferrus.toml names at that time.
		err = t.RequireTrust(GateDefinition(cfg))
	}
	if err != nil {
		return false, err
	}
	edit := func() (config.Edited, error) { return config.SetAgent(t.Dir, role, agent) }
	own := cfg.Agent[agent]
	return t.changePin(ctx, role, edit, do, func(r *core.RolePin) {
		r.Agent, r.Model, r.MCP = agent, "", pinnedMCP(cfg, agent)
		r.Command, r.InteractiveCommand, r.ACP = own.Command, own.InteractiveCommand, own.ACP
	})
}

// SetModel gives a role another model of its agent; empty means the agent's default. It is like
// [Task.SwitchAgent] otherwise.
func (t *Task) SetModel(ctx context.Context, role, model string, do func(core.Command) error) (
	pinned bool, err error) {
	edit := func() (config.Edited, error) { return config.SetModel(t.Dir, role, model) }
	return t.changePin(ctx, role, edit, do, func(r *core.RolePin) { r.Model = model })
}

// changePin edits ferrus.toml, and changes a role in the pin of the task likewise. Approved work may still return to
// its executor.
func (t *Task) changePin(ctx context.Context, role string, edit func() (config.Edited, error),
	do func(core.Command) error, change func(*core.RolePin)) (pinned bool, err error) {
	lock, err := t.Main().Files.TryLock(SwitchLock)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	e, err := edit()
	if err == nil {
		err = t.acceptElsewhere(ctx, e)
	}
	if err != nil {
		return false, err
	}
	state, err := t.World()
	now := state.World.Task
	if err != nil || now == nil || now.Pin == nil || now.Landed != nil {
		return false, err // ferrus.toml counts
	}
	r := *now.Pin.Of(machine.Role(role))
	change(&r)
	return true, do(core.Command{Kind: core.KindPin, By: HumanActor(), Pin: &core.PinChange{
		Role: machine.Role(role), RolePin: r, Before: e.Before, After: e.After,
	}})
}

// acceptElsewhere records in the other open tasks of the project that an edit of ferrus.toml is the
// human's. Their agents stay.
func (t *Task) acceptElsewhere(ctx context.Context, e config.Edited) error {
	names, err := t.TaskDirs()
	for _, id := range append(names, "") {
		if id == t.ID {
			continue
		}
		other, opening := t.OpenTask(id)
		if errors.Is(opening, store.ErrNone) {
			continue
		}
		if opening == nil {
			accept := core.PinChange{Before: e.Before, After: e.After}
			_, opening = other.Do(ctx, store.Call{}, core.Command{Kind: core.KindPin, By: HumanActor(), Pin: &accept})
		}
		if !machine.IsRefusal(opening) { // no task is open there
			err = errors.Join(err, opening)
		}
	}
	return err
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
