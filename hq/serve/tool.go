package serve

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ferrus/hq/core"
	"ferrus/machine"
)

// tool is what clients see of one tool, and what calls of it may contain.
type tool struct {
	name, title, about string
	roles              []machine.Role
	modes              []core.Mode // besides free, which has all of its role; nil: every mode
	params             []param
	accepts            any  // the struct of its arguments, where they are not all strings
	reads              bool // changes nothing but the lease
	once               bool // an equal call right after is answered again, not executed
	parks              bool // waits for an answer: a session may end meanwhile and be restarted with the answer
}

// param is one argument; all are strings.
type param struct {
	name, about string
	optional    bool
}

var (
	bothRoles      = []machine.Role{machine.Supervisor, machine.Executor}
	supervisorOnly = []machine.Role{machine.Supervisor}
	executorOnly   = []machine.Role{machine.Executor}

	workModes   = []core.Mode{core.ModeWork, core.ModeResume}
	reviewMode  = []core.Mode{core.ModeReview}
	consultMode = []core.Mode{core.ModeConsult}
	phaseMode   = []core.Mode{core.ModePhase}
	askModes    = slices.Concat(workModes, reviewMode, consultMode)
	freeMode    = []core.Mode{core.ModeFree}
)

// serves reports whether sessions of a role and mode have the tool.
func (t tool) serves(role machine.Role, mode core.Mode) bool {
	return slices.Contains(t.roles, role) && (mode == core.ModeFree || t.modes == nil || slices.Contains(t.modes, mode))
}

// describe returns the tool as clients see it.
func (t tool) describe() *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.about, InputSchema: t.schema(),
		Annotations: &mcp.ToolAnnotations{Title: t.title, ReadOnlyHint: t.reads, DestructiveHint: &no,
			OpenWorldHint: &no, IdempotentHint: t.once || t.reads},
	}
}

func (t tool) schema() map[string]any {
	if t.accepts != nil {
		schema, err := structSchema(t.accepts)
		if err != nil {
			panic("serve: " + err.Error()) // a test asks for every tool
		}
		return schema
	}
	properties, required := map[string]any{}, []string{}
	for _, p := range t.params {
		properties[p.name] = map[string]any{"type": "string", "description": p.about}
		if !p.optional {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
