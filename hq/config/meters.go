package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Meter says what the headless sessions of an agent report.
type Meter struct{ Tokens, Cost bool }

// Meters are those of the built-in agents, by name. Nil means that nobody said,
// and limits are taken as they are; an agent that is missing reports nothing.
type Meters map[string]Meter

// bounded is a limit that is only one where both agents report what it counts.
type bounded struct {
	key, what string
	set       func(Limits) bool
	meters    func(Meter) bool
}

var limited = []bounded{
	{"max_task_tokens", "tokens", func(l Limits) bool { return l.MaxTaskTokens > 0 }, func(m Meter) bool { return m.Tokens }},
	{"max_task_cost", "cost", func(l Limits) bool { return l.MaxTaskCost > 0 }, func(m Meter) bool { return m.Cost }},
}

// Measurable refuses limits of a file that could not be measured. It is for a
// file that was parsed.
func Measurable(data []byte, c Config, m Meters) error {
	path, err := c.measurable(m)
	if err == nil {
		return nil
	}
	doc := &document{data: data, lines: lines(data)}
	return doc.fail(path, err)
}

func (c *Config) measurable(m Meters) (path []string, err error) {
	if m == nil {
		return nil, nil
	}
	for _, b := range limited {
		if !b.set(c.Limits) {
			continue
		}
		for _, role := range []string{"supervisor", "executor"} {
			if err := c.measured(b, role, m); err != nil {
				return []string{"limits", b.key}, err
			}
		}
	}
	return nil, nil
}

func (c *Config) measured(b bounded, role string, m Meters) error {
	player := c.HQ.Executor
	if role == "supervisor" {
		player = c.HQ.Supervisor
	}
	if !b.meters(m[player.Agent]) {
		return &misfit{
			what: fmt.Sprintf("limits.%s cannot be measured: the %s is %s, which does not report its %s", b.key, role, player.Agent, b.what),
			fix:  fmt.Sprintf("leave it at 0, or give hq.%s.agent one that does: %s", role, b.able(m)),
		}
	}
	if player.Interactive {
		return &misfit{
			what: fmt.Sprintf("limits.%s cannot be measured: hq.%s.interactive is true, and a session on the agent's own screen does not report its %s", b.key, role, b.what),
			fix:  fmt.Sprintf("leave it at 0, or set hq.%s.interactive = false", role),
		}
	}
	return nil
}

// able are the agents that report what is limited.
func (b bounded) able(m Meters) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if b.meters(m[name]) {
			names = append(names, name)
		}
	}
	if names == nil {
		return "there is none"
	}
	return strings.Join(names, ", ")
}
