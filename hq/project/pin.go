package project

import (
	"fmt"
	"slices"

	"ferrus/hq/config"
	"ferrus/hq/core"
)

// pinOf returns the agents of the roles under a configuration.
func pinOf(cfg config.Config) *core.Pin {
	role := func(r config.RoleConfig) core.RolePin {
		own := cfg.Agent[r.Agent]
		return core.RolePin{
			Agent: r.Agent, Model: r.Model, Permissions: r.Permissions, Interactive: r.Interactive,
			Command: own.Command, InteractiveCommand: own.InteractiveCommand, ACP: own.ACP,
			MCP: pinnedMCP(cfg, r.Agent), Fallback: r.Fallback,
		}
	}
	return &core.Pin{
		Supervisor: role(cfg.HQ.Supervisor), Executor: role(cfg.HQ.Executor), Unattended: cfg.HQ.Unattended,
		Config: cfg.Hash,
	}
}

// adopter gives a role to the agent whose conversation continues.
func adopter(cfg config.Config, r core.RolePin, agent string) core.RolePin {
	if agent != "" && agent != r.Agent {
		r.Agent, r.Model, r.MCP = agent, "", pinnedMCP(cfg, agent)
		r.Command, r.InteractiveCommand, r.ACP = nil, nil, nil
	}
	return r
}

// pinnedMCP returns which MCP servers an agent gets, as a pin has it.
func pinnedMCP(cfg config.Config, agent string) string {
	if cfg.MCP[agent] == config.MCPOnly {
		return config.MCPOnly
	}
	return ""
}

// Unattended reports whether a supervisor may answer questions to the human: ferrus.toml
// says so, and said so when the task started.
func Unattended(cfg config.Config, w core.World) bool {
	pin := w.Pinned()
	return cfg.HQ.Unattended && (pin == nil || pin.Unattended)
}

// settingsChanged is the rule of an edited ferrus.toml.
const settingsChanged = "settings-changed"

// configAlarms returns an alarm if ferrus.toml is not the one that the task began with,
// whatever git makes of the file. If the work is in the checkout, its own alarm says the
// same.
func (t *Task) configAlarms(w core.World, found []core.Alarm) []core.Alarm {
	pin := w.Pinned()
	reported := func(a core.Alarm) bool { return a.Rule == settingsChanged }
	if pin == nil || pin.Config == config.Hash(t.Dir) {
		return nil
	}
	if w.Task.Workspace == nil && slices.ContainsFunc(found, reported) {
		return nil
	}
	a := core.Alarm{Rule: settingsChanged, Path: config.File, NeedsHuman: protected(w),
		Words: "it was edited after the task started; the edit takes effect with the next task"}
	if cfg, err := t.Config(); err == nil {
		now := pinOf(cfg)
		a.Lines = append(differences("hq.supervisor", pin.Supervisor, now.Supervisor),
			differences("hq.executor", pin.Executor, now.Executor)...)
	}
	return []core.Alarm{a}
}

// differences returns one line for each value of a role that another pin has otherwise.
func differences(role string, was, is core.RolePin) (lines []string) {
	for _, v := range []struct{ key, was, is string }{
		{"agent", was.Agent, is.Agent}, {"model", was.Model, is.Model},
		{"permissions", was.Permissions, is.Permissions},
		{"interactive", fmt.Sprint(was.Interactive), fmt.Sprint(is.Interactive)},
		{"mcp", was.MCP, is.MCP},
		{"command", fmt.Sprintf("%q", was.Command), fmt.Sprintf("%q", is.Command)},
		{"interactive_command", fmt.Sprintf("%q", was.InteractiveCommand), fmt.Sprintf("%q", is.InteractiveCommand)},
		{"fallback", fmt.Sprintf("%q", was.Fallback), fmt.Sprintf("%q", is.Fallback)},
		{"acp", fmt.Sprintf("%q", was.ACP), fmt.Sprintf("%q", is.ACP)},
	} {
		if v.was != v.is {
			lines = append(lines, fmt.Sprintf("%s.%s: %s, was %s", role, v.key, v.is, v.was))
		}
	}
	return lines
}
