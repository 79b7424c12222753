package model

import (
	"fmt"
	"slices"
	"strings"
)

// newest returns the last turn that is no search for tools and no wait for them.
func (c Conversation) newest() (Turn, bool) {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if name := c.Turns[i].Name; name != "ToolSearch" && name != "tool_search" && !c.Turns[i].waits() {
			return c.Turns[i], true
		}
	}
	return Turn{}, false
}

// refused reports a refusal by ferrus or by the client.
func (t Turn) refused() bool { return t.Done && (t.Failed || t.field("status") == "refused") }

// short returns a tool's own name, without the prefix of its server.
func short(name string) string {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return rest
		}
	}
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// prefix is what most clients put before the names of ferrus's tools.
const prefix = "mcp__ferrus__"

// prefixes are what the clients put before a tool's name. None is the beginning of
// another.
var prefixes = []string{prefix, "mcp_ferrus_", "ferrus-", "ferrus_"}

// full returns a tool's name as the prompt writes it; empty if the prompt does not name
// the tool.
func (c Conversation) full(name string) string {
	for _, p := range prefixes {
		if strings.Contains(c.Prompt, p+name) {
			return p + name
		}
	}
	return ""
}

// ours reports whether a text names a tool of ferrus in full.
func ours(text string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.Contains(text, p) })
}

// bridge is the tool that calls what a search has shown.
const bridge = "tool_call"

// call makes a ferrus tool call, searching for the tool first if it is deferred.
// The prompt must have named it in full.
func (c Conversation) call(name string, args map[string]any) Action {
	full := c.full(name)
	if full == "" {
		return complain("the prompt does not name %s", prefix+name)
	}
	if tool, ok := c.Tools[full]; ok {
		return Action{Tool: tool, Args: args}
	}
	if tool, ok := c.Tools[bridge]; ok && c.Shown[full] {
		if args == nil {
			args = map[string]any{}
		}
		return Action{Tool: tool, Args: map[string]any{"name": full, "arguments": args}}
	}
	for _, search := range []string{"ToolSearch", "tool_search"} {
		if tool, ok := c.Tools[search]; ok && !c.searched(query(tool, name)) {
			return Action{Tool: tool, Args: map[string]any{"query": query(tool, name)}}
		}
	}
	if tool, ok := c.Tools["exec"]; ok && tool.Kind == Code {
		return Action{Tool: tool, Program: program(full, args)}
	}
	return c.lookAgain(full)
}

// looks is how often a tool that is not there yet is waited for.
const looks = 10

// lookAgain waits a moment, as the prompt says, because a server may still be
// starting.
func (c Conversation) lookAgain(full string) Action {
	waited := 0
	for _, turn := range c.Turns {
		if turn.waits() {
			waited++
		}
	}
	if action := c.shell(fmt.Sprintf("sleep 1 # %d", waited)); waited < looks &&
		strings.Contains(c.Prompt, "wait a moment") && action.Text == "" {
		return action
	}
	return complain("there is no tool %s", full)
}

// waits reports whether the turn only let time pass.
func (t Turn) waits() bool {
	command, ok := t.Args["command"].(string)
	if !ok {
		command = str(t.Args, "cmd")
	}
	return strings.HasPrefix(command, "sleep 1 #")
}

// query asks for one tool: by its name, or in words where names are not looked at.
func query(search Tool, name string) string {
	if search.Kind == Searching {
		return "ferrus " + strings.ReplaceAll(name, "_", " ")
	}
	return "select:" + prefix + name
}

func (c Conversation) searched(query string) bool {
	for _, turn := range c.Turns {
		if str(turn.Args, "query") == query {
			return true
		}
	}
	return false
}

// again repeats a wait with the cursor it was given, so that no two calls are equal.
func (c Conversation) again(name string, turn Turn) Action {
	if turn.Done && turn.fields() == nil {
		return complain("%s failed: %s", turn.Name, turn.Result)
	}
	args := map[string]any{}
	if cursor := turn.field("cursor"); cursor != "" && strings.HasSuffix(turn.Name, name) {
		args["cursor"] = cursor
	}
	if name == "submit" {
		args["content"] = turn.Args["content"]
	}
	return c.call(name, args)
}

// shell runs a command with whatever tool the client has for it.
func (c Conversation) shell(command string) Action {
	for _, shape := range []struct {
		name string
		args map[string]any
	}{
		{"Bash", map[string]any{"command": command, "description": "write the file"}},
		{"exec_command", map[string]any{"cmd": command}},
		{"shell_command", map[string]any{"command": command}},
		{"shell", map[string]any{"command": []string{"sh", "-c", command}}},
		{"bash", map[string]any{"command": command, "description": "write the file"}},
		{"run_shell_command", map[string]any{"command": command, "is_background": false}},
	} {
		if tool, ok := c.Tools[shape.name]; ok {
			return Action{Tool: tool, Args: shape.args}
		}
	}
	if tool, ok := c.Tools["exec"]; ok && tool.Kind == Code {
		return Action{Tool: tool, Program: program("exec_command", map[string]any{"cmd": command})}
	}
	return complain("there is no tool that runs a command")
}
