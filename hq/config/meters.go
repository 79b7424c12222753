package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Meter says what the headless sessions of an agent report.
type Meter struct{ Tokens, Cost bool }

// Meters are the meters of the built-in agents, by name. If nil, limits are not checked;
// an agent that is missing reports nothing.
type Meters map[string]Meter

// usageLimit is a limit that works only if both agents report what it counts.
type usageLimit struct {
	key, what string
	set       func(Limits) bool
	meters    func(Meter) bool
}

var usageLimits = []usageLimit{
	{"max_task_tokens", "tokens", func(l Limits) bool { return l.MaxTaskTokens > 0 },
		func(m Meter) bool { return m.Tokens }},
	{"max_task_cost", "cost", func(l Limits) bool { return l.MaxTaskCost > 0 }, func(m Meter) bool { return m.Cost }},
	{"max_queue_tokens", "tokens", func(l Limits) bool { return l.MaxQueueTokens > 0 },
		func(m Meter) bool { return m.Tokens }},
	{"max_queue_cost", "cost", func(l Limits) bool { return l.MaxQueueCost > 0 }, func(m Meter) bool { return m.Cost }},
}

// CheckMeasurable refuses limits that cannot be measured. Data is the file that c was
// parsed from.
func CheckMeasurable(data []byte, c Config, m Meters) error {
	path, err := c.unmeasurable(m)
	if err == nil {
		return nil
	}
	doc := &document{data: data, lines: keyLines(data)}
	return doc.fail(path, err)
}

func (c *Config) unmeasurable(m Meters) (path []string, err error) {
	if m == nil {
		return nil, nil
	}
	for _, b := range usageLimits {
		if !b.set(c.Limits) {
			continue
		}
		for _, role := range []string{"supervisor", "executor"} {
			if err := c.checkLimit(b, role, m); err != nil {
				return []string{"limits", b.key}, err
			}
		}
	}
	return nil, nil
}

func (c *Config) checkLimit(b usageLimit, role string, m Meters) error {
	r := c.HQ.Executor
	if role == "supervisor" {
		r = c.HQ.Supervisor
	}
	if !b.meters(m[r.Agent]) {
		return &valueError{
			what: fmt.Sprintf("limits.%s cannot be measured: the %s is %s, which does not report its %s", b.key, role,
				r.Agent, b.what),
			fix: fmt.Sprintf("set it to 0, or set hq.%s.agent to one that does: %s", role, b.reporters(m)),
		}
	}
	if r.Interactive {
		return &valueError{
			what: fmt.Sprintf("limits.%s cannot be measured: hq.%s.interactive is true, and a session on the "+
				"agent's own screen does not report its %s", b.key, role, b.what),
			fix: fmt.Sprintf("set it to 0, or set hq.%s.interactive = false", role),
		}
	}
	return nil
}

// reporters returns the agents that report what is limited.
func (b usageLimit) reporters(m Meters) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if b.meters(m[name]) {
			names = append(names, name)
		}
	}
	if names == nil {
		return "none does"
	}
	return strings.Join(names, ", ")
}
