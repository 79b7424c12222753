//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ferrus/hq/clients/model"
)

// notesServer is one of the human's own MCP servers, with one tool.
const notesServer = `const send=(id,result)=>process.stdout.write(JSON.stringify({jsonrpc:"2.0",id,result})+"\n");
require("readline").createInterface({input:process.stdin}).on("line",l=>{const m=JSON.parse(l);
if(m.method==="initialize")send(m.id,{protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},
serverInfo:{name:"notes",version:"1"}});
else if(m.method==="tools/list")send(m.id,{tools:[{name:"note_down",description:"Notes a text down.",
inputSchema:{type:"object",properties:{text:{type:"string"}}}}]});
else if(m.method==="tools/call")send(m.id,{content:[{type:"text",text:"noted "+m.params.arguments.text}]});
else if(m.id!==undefined)process.stdout.write(JSON.stringify({jsonrpc:"2.0",id:m.id,
error:{code:-32601,message:"no such method"}})+"\n");});`

// TestOwnServerIsCalled has the executor call a server from the human's own settings, as if its
// client had been started by hand; with mcp = "only" the server is not offered.
func TestOwnServerIsCalled(t *testing.T) {
	for _, name := range tried() {
		for _, more := range []string{"", fmt.Sprintf("[agent.%s]\nmcp = \"only\"\n", name)} {
			t.Run(strings.TrimSpace(name+" "+strings.TrimPrefix(more, "[agent."+name+"]\n")), func(t *testing.T) {
				var called, missed atomic.Int32
				b := newFixture(t, setup{supervisor: name, executor: name, more: more,
					script: func(c model.Conversation) model.Action { return noting(c, &called, &missed) }})
				b.addNotes(name)
				b.runScenario()
				if only := more != ""; (called.Load() == 0) != only || (missed.Load() == 0) == only {
					t.Errorf("the server was called %d times, and not offered %d times\n%s",
						called.Load(), missed.Load(), b.evidence())
				}
			})
		}
	}
}

// addNotes adds the server to the human's own settings of a client.
func (b *fixture) addNotes(name string) {
	b.t.Helper()
	home := filepath.Join(b.root, "home")
	entry := map[string]any{"command": "node", "args": []string{"-e", notesServer}}
	switch name {
	case "claude-code":
		b.merge(filepath.Join(home, ".claude.json"), "mcpServers", entry)
	case "qwen-code":
		b.merge(filepath.Join(home, ".qwen", "settings.json"), "mcpServers", entry)
	case "gemini-cli":
		b.merge(filepath.Join(home, ".gemini", "settings.json"), "mcpServers", entry)
	case "copilot":
		entry["type"], entry["tools"] = "local", []string{"*"}
		b.merge(filepath.Join(home, ".copilot", "mcp-config.json"), "mcpServers", entry)
	case "opencode":
		b.merge(filepath.Join(home, ".config", "opencode", "opencode.json"), "mcp", map[string]any{"type": "local",
			"enabled": true, "command": []string{"node", "-e", notesServer}})
	case "codex":
		path := filepath.Join(home, ".codex", "config.toml")
		text, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		write(b.t, path, fmt.Sprintf("%s\n[mcp_servers.notes]\ncommand = \"node\"\nargs = [\"-e\", '''%s''']\n", text,
			notesServer))
	}
}

// merge adds the server to a table of a JSON file.
func (b *fixture) merge(path, table string, entry map[string]any) {
	b.t.Helper()
	tree := map[string]any{}
	if text, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(text, &tree); err != nil {
			b.t.Fatal(err)
		}
	}
	tree[table] = map[string]any{"notes": entry}
	text, err := json.Marshal(tree)
	if err != nil {
		b.t.Fatal(err)
	}
	write(b.t, path, string(text))
}

// noting returns a loop whose executor first calls the server.
func noting(c model.Conversation, called, missed *atomic.Int32) model.Action {
	if !strings.Contains(c.Prompt, "wait_for_task") || strings.Contains(c.Prompt, "wait_for_review") ||
		strings.Contains(c.Prompt, "respond_consult") {
		return model.LoopScript(c)
	}
	searched := false
	about := func(t model.Turn) bool {
		text, _ := json.Marshal(t.Args)
		return strings.Contains(t.Name+string(text), "note_down")
	}
	for _, t := range c.Turns {
		searched = searched || about(t)
		if t.Done && strings.Contains(t.Result, "noted a word") {
			called.Add(1)
		}
	}
	if !searched {
		for name, tool := range c.Tools {
			if strings.HasSuffix(name, "note_down") {
				return model.Action{Tool: tool, Args: map[string]any{"text": "a word"}}
			}
		}
		for _, search := range []string{"ToolSearch", "tool_search"} {
			if tool, ok := c.Tools[search]; ok {
				return model.Action{Tool: tool, Args: map[string]any{"query": "select:mcp__notes__note_down"}}
			}
		}
		missed.Add(1)
	} else if len(c.Turns) == 1 && called.Load() == 0 { // a search has shown it, or is not needed
		for name, tool := range c.Tools {
			if strings.HasSuffix(name, "note_down") {
				return model.Action{Tool: tool, Args: map[string]any{"text": "a word"}}
			}
		}
		const full = "mcp__notes__note_down"
		if tool, ok := c.Tools["tool_call"]; ok && c.Shown[full] { // Qwen Code calls through it what a search has shown
			args := map[string]any{"name": full, "arguments": map[string]any{"text": "a word"}}
			return model.Action{Tool: tool, Args: args}
		}
		missed.Add(1)
	}
	c.Turns = slices.DeleteFunc(slices.Clone(c.Turns), about)
	return model.LoopScript(c)
}
