//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/hq/clients/model"
)

// A launch offers its agent one server, its own role's, even in a project where both roles are
// registered with its client and in the file that clients share: the registered program is never
// started, and none of its tools is offered.
func TestLaunchShowsOneServer(t *testing.T) {
	for _, name := range players() {
		t.Run(name, func(t *testing.T) { oneServer(t, name, false, (*fixture).runScenario) })
		t.Run(name+" in its own screen", func(t *testing.T) { oneServer(t, name, true, (*fixture).byHand) })
	}
}

func oneServer(t *testing.T, name string, interactive bool, play func(*fixture)) {
	b := newFixture(t, setup{supervisor: name, executor: name, interactive: interactive, script: onlyLaunched})
	started, noting := b.register(name)
	write(t, filepath.Join(b.dir, ".mcp.json"),
		fmt.Sprintf(`{"mcpServers":{"ferrus-executor-1":{"command":%q,"args":["serve","--role","executor"]}}}`, noting))
	play(b)
	if calls, err := os.ReadFile(started); err == nil {
		t.Errorf("the registered server was started:\n%s", calls)
	}
}

// onlyLaunched returns a loop for an agent that is offered nothing else.
func onlyLaunched(c model.Conversation) model.Action {
	for tool := range c.Tools {
		if strings.Contains(tool, "ferrus-executor") || strings.Contains(tool, "ferrus-supervisor") {
			return model.Action{Text: "complaint: " + tool + " is offered too"}
		}
	}
	return model.LoopScript(c)
}

// A session that you start by hand has its role's tools, and may call them without asking.
func TestRegisteredByHand(t *testing.T) {
	commands := map[string][]string{
		"claude-code": {"claude", "-p", "Call status.", "--mcp-config", ".claude/mcp-executor.json"},
		"codex":       {"codex", "exec", "--json", "Call status."},
		"qwen-code":   {"qwen", "--auth-type", "openai", "Call status."},
		"copilot": {"copilot", "-p", "Call status.", "--additional-mcp-config=@.copilot/mcp-executor.json",
			"--allow-tool=ferrus-executor-1"},
		"gemini-cli": {"gemini", "-p", "Call status.", "--skip-trust"},
		"opencode":   {"opencode", "run", "Call status."},
	}
	// A headless session starts no server of the project that was not approved.
	approvals := map[string][]string{"qwen-code": {"qwen", "mcp", "approve", "ferrus-executor-1"}}
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name, script: status})
			started, _ := b.register(name)
			if approve := approvals[name]; approve != nil {
				b.client(approve)
			}
			out := b.client(commands[name])
			if calls, _ := os.ReadFile(started); !strings.Contains(string(calls), "--role executor") {
				t.Errorf("the registered server was not started: %s\n%s", calls, out)
			}
			if complaints := b.server.Complaints(); len(complaints) != 1 || !strings.Contains(complaints[0], `"Idle"`) {
				t.Errorf("status returned %q, want Idle\n%s", complaints, out)
			}
		})
	}
}

// The client itself lists what is registered, and no longer what was removed.
func TestRegisteredIsListed(t *testing.T) {
	for name, command := range map[string][]string{
		"codex": {"codex", "mcp", "list"}, "gemini-cli": {"gemini", "mcp", "list"},
		"opencode": {"opencode", "mcp", "list"}, "qwen-code": {"qwen", "mcp", "list"},
	} {
		if !slices.Contains(tried(), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, setup{supervisor: name, executor: name})
			b.register(name)
			out := b.client(command)
			for _, server := range []string{"ferrus-supervisor-1", "ferrus-executor-1"} {
				if !strings.Contains(out, server) {
					t.Errorf("%s is not listed:\n%s", server, out)
				}
			}
			if code, out := b.run("register", "--remove"); code != 0 {
				t.Fatalf("register --remove: exit %d\n%s", code, out)
			}
			if out = b.client(command); strings.Contains(out, "ferrus-") {
				t.Errorf("the server is listed after its removal:\n%s", out)
			}
		})
	}
}

// registered matches the tool as clients spell it.
var registered = regexp.MustCompile(`executor[-_]1[-_]+status$`)

// status calls one of the executor's tools and complains with its result.
func status(c model.Conversation) model.Action {
	for _, turn := range c.Turns {
		if strings.Contains(turn.Name, "status") && turn.Done {
			return model.Action{Text: "complaint: " + turn.Result}
		}
	}
	const tool = "mcp__ferrus-executor-1__status"
	for name, found := range c.Tools {
		if registered.MatchString(name) {
			return model.Action{Tool: found}
		}
	}
	for _, search := range []string{"ToolSearch", "tool_search"} {
		if found, ok := c.Tools[search]; ok && len(c.Turns) == 0 {
			return model.Action{Tool: found, Args: map[string]any{"query": "select:" + tool}}
		}
	}
	var offered []string
	for name := range c.Tools {
		offered = append(offered, name)
	}
	return model.Action{Text: fmt.Sprintf("complaint: there is no %s in %q", tool, offered)}
}

// register registers both roles with one client, and makes the client start a program that records
// its start in a file.
func (b *fixture) register(name string) (started, noting string) {
	b.t.Helper()
	if code, out := b.run("register", "--supervisor", name, "--executor", name); code != 0 {
		b.t.Fatalf("register: exit %d\n%s", code, out)
	}
	// The client's configuration starts noting in place of ferrus; HQ's own launches do not use it.
	started, noting = filepath.Join(b.root, "started"), filepath.Join(b.root, "noting")
	write(b.t, noting, fmt.Sprintf("#!/bin/sh\necho \"$@\" >> %q\nexec %q \"$@\"\n", started, b.ferrus))
	if err := os.Chmod(noting, 0o755); err != nil {
		b.t.Fatal(err)
	}
	for _, file := range []string{".claude/mcp-supervisor.json", ".claude/mcp-executor.json", ".codex/config.toml",
		".qwen/settings.json",
		".copilot/mcp-supervisor.json", ".copilot/mcp-executor.json", ".gemini/settings.json",
		".opencode/opencode.json"} {
		path := filepath.Join(b.dir, file)
		text, err := os.ReadFile(path)
		if err != nil {
			continue // another client's
		}
		write(b.t, path, strings.ReplaceAll(string(text), b.ferrus, noting))
	}
	return started, noting
}

// client runs a vendor's program as a human does.
func (b *fixture) client(command []string) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	defer cancel()
	find := exec.Command("sh", "-c", "command -v "+command[0])
	find.Env = b.env
	path, err := find.Output()
	if err != nil {
		b.t.Fatalf("find %s: %v", command[0], err)
	}
	cmd := exec.CommandContext(ctx, strings.TrimSpace(string(path)), command[1:]...)
	cmd.Dir, cmd.Env = b.dir, b.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		out.WriteString("\n" + err.Error())
	}
	return out.String()
}
