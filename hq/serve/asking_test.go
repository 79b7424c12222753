package serve_test

import (
	"encoding/json"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/hq/serve"
	"ferrus/machine"
	"ferrus/store"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// verdict is the answer to a request for permission.
type verdict struct {
	Behavior, Message string
	UpdatedInput      map[string]any
}

// permission asks for permission, as a client does, and returns the answer.
func (a *agent) permission(arguments args) <-chan verdict {
	got := make(chan verdict, 1)
	go func() {
		defer close(got)
		result, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: serve.PermissionTool, Arguments: arguments})
		if err != nil || len(result.Content) != 1 {
			return
		}
		var v verdict
		if json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &v) == nil {
			got <- v
		}
	}()
	return got
}

// asking returns a session that asks, with a task.
func (p *fixture) asking(role machine.Role, mode core.Mode, asks serve.Asks) *agent {
	p.t.Helper()
	p.register(role, mode)
	p.human("create_task", "a task")
	return p.session(p.command(role, "", nonce, "ASKS="+string(asks)))
}

// waits returns the only waiting request, once there is one.
func (p *fixture) waits() (r core.PermissionRequest) {
	p.t.Helper()
	p.until("one request", func(w core.World) bool {
		if all := w.OpenPermissions(); len(all) == 1 {
			r = all[0]
		}
		return len(w.OpenPermissions()) == 1
	})
	return r
}

// permit answers a request as the human.
func (p *fixture) permit(r core.PermissionRequest, answer string) {
	p.t.Helper()
	if _, err := p.Do(p.t.Context(), store.Call{}, core.Command{Kind: core.KindPermit, By: project.HumanActor(),
		Ticket: r.Number, Text: answer}); err != nil {
		p.t.Fatal(err)
	}
}

func bash(command string) args {
	return args{"tool_name": "Bash", "input": args{"command": command, "description": "builds", "timeout": 5}}
}
