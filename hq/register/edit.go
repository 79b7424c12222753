package register

import (
	"fmt"

	"ferrus/agent"
	"ferrus/hq/config"
)

// roleKind is the kind of edits of ferrus.toml: Path is the role, Key agent or model.
const roleKind agent.Kind = "player"

// applyEdit makes an edit. What is already there is kept byte for byte.
func applyEdit(data []byte, e agent.Edit) ([]byte, error) {
	switch e.Kind {
	case agent.Member, agent.Element:
		return addJSON(data, e)
	case agent.Table:
		return addTOML(data, e)
	case agent.Section:
		return addSection(data, e), nil
	case agent.Line:
		return addLine(data, e), nil
	case roleKind:
		if old, err := roleValue(data, e); err != nil || old == e.Value {
			return data, err
		}
		return config.Edit(data, e.Path[0], e.Key, e.Value)
	}
	return nil, fmt.Errorf("edit %s: unknown kind of edit %q", e.File, e.Kind)
}

// undoEdit undoes an edit in a file that has changed since.
func undoEdit(data []byte, e agent.Edit, old string) ([]byte, error) {
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
	case roleKind:
		if now, err := roleValue(data, e); err != nil || now != e.Value {
			return data, err // it has been changed by hand
		}
		return config.Edit(data, e.Path[0], e.Key, old)
	}
	return nil, fmt.Errorf("edit %s: unknown kind of edit %q", e.File, e.Kind)
}

// roleValue returns the agent or model in ferrus.toml.
func roleValue(data []byte, e agent.Edit) (string, error) {
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
