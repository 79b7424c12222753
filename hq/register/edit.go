package register

import (
	"fmt"

	"ferrus/agent"
	"ferrus/hq/config"
)

// player is an edit of ferrus.toml: Path is the role, Key agent or model.
const player agent.Kind = "player"

// apply makes an edit. What is there already stays as it is, byte for byte.
func apply(data []byte, e agent.Edit) ([]byte, error) {
	switch e.Kind {
	case agent.Member, agent.Element:
		return addJSON(data, e)
	case agent.Table:
		return addTOML(data, e)
	case agent.Section:
		return addSection(data, e), nil
	case agent.Line:
		return addLine(data, e), nil
	case player:
		if old, err := plays(data, e); err != nil || old == e.Value {
			return data, err
		}
		return config.Edit(data, e.Path[0], e.Key, e.Value)
	}
	return nil, fmt.Errorf("edit %s: %q is no kind of edit that this ferrus knows", e.File, e.Kind)
}

// undo takes an edit away from a file that was changed since.
func undo(data []byte, e agent.Edit, old string) ([]byte, error) {
	switch e.Kind {
	case agent.Member, agent.Element:
		if old == "" {
			return removeJSON(data, e)
		}
		e.Value = old
		return addJSON(data, e)
	case agent.Table:
		return removeTOML(data, e, old)
	case agent.Section:
		return removeSection(data, e), nil
	case agent.Line:
		return removeLine(data, e), nil
	case player:
		if now, err := plays(data, e); err != nil || now != e.Value {
			return data, err // the person has chosen something else
		}
		return config.Edit(data, e.Path[0], e.Key, old)
	}
	return nil, fmt.Errorf("edit %s: %q is no kind of edit that this ferrus knows", e.File, e.Kind)
}

// plays is what ferrus.toml says now.
func plays(data []byte, e agent.Edit) (string, error) {
	c, err := config.Parse(data, nil)
	if err != nil {
		return "", err
	}
	p := c.HQ.Executor
	if e.Path[0] == "supervisor" {
		p = c.HQ.Supervisor
	}
	if e.Key == "model" {
		return p.Model, nil
	}
	return p.Agent, nil
}
