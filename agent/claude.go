package agent

import (
	"fmt"
	"strings"

	"ferrus/agent/home"
)

func init() {
	register(claude{}, "supervisor")
	nestedSessionVars = append(nestedSessionVars, "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT",
		"CLAUDE_CODE_SESSION_ID")
}

// claude is Claude Code. Its flags with several values (--mcp-config, --allowedTools) take a
// prompt that follows them as a value, so the prompt comes first. It passes its environment
// to MCP servers, and with it the nonce.
type claude struct{}

func (claude) Name() string         { return "claude-code" }
func (claude) Binary() string       { return "claude" }
func (claude) WaitSecs() int        { return defaultWaitSecs }
func (c claude) Renderer() Renderer { return newStreamRenderer(c.limitPatterns()) }

func (claude) reportsUsage() (tokens, cost bool) { return true, true }

// takesImages: its tool Read shows them to the model.
func (claude) takesImages() bool { return true }

// models returns the aliases of --model.
func (claude) models() []string { return []string{"opus", "sonnet", "haiku", "fable"} }

// limitPatterns includes the pattern of older releases: "usage limit reached|<seconds since
// 1970>".
func (claude) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your ", "ve reached your ", "limit reached"},
		then: []string{"resets in ", "resets at ", "resets ", "reset at ", "|"},
	}
}

func (claude) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `claude /login` in a terminal",
			[]string{"not logged in", "please run /login", "api error: 401", "401 authentication_failed",
				"invalid api key", "oauth token"}},
		{forbidden, fixForbidden, []string{"api error: 403", "issue with the selected model"}},
		{spent, fixSpent,
			[]string{"credit balance is too low", "api error: 402", "request rejected (429)", "ve hit your ",
				"ve reached your "}},
		{refusing, fixRefusing, []string{"refused: it lacks the permission", "permission to use "}},
	}
}

func (c claude) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	entry := l.server(c)
	entry.Type, entry.Timeout, entry.AlwaysLoad = "stdio", noTimeoutSecs*1000, true
	if l.Ask {
		entry.Timeout = askTimeoutSecs * 1000
	}
	var args []string
	if !l.Interactive {
		args = append(args, "-p")
	}
	if l.Prompt != "" {
		args = append(args, l.Prompt)
	}
	if l.Model != "" {
		args = append(args, "--model", l.Model)
	}
	if l.Conversation != "" {
		args = append(args, "--resume", l.Conversation)
		if !l.Confined {
			args = append(args, "--fork-session") // yours, in your home, stays as it is
		}
	}
	args = append(args, "--mcp-config", l.configJSON(entry))
	if l.OnlyFerrus {
		args = append(args, "--strict-mcp-config")
	}
	if l.judges() {
		args = append(args, "--setting-sources", "user")
	}
	args = append(args, c.permissions(l)...)
	if settings := c.settings(l); len(settings) > 0 {
		args = append(args, "--settings", toJSON(settings))
	}
	if !l.Interactive {
		args = append(args, "--output-format", "stream-json", "--verbose")
	}
	env := l.env()
	if l.Confined {
		env = append(env, "IS_SANDBOX=1") // without it, it refuses to run for root with its questions off
	}
	if l.Ask {
		env = append(env, fmt.Sprint("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT=", askTimeoutSecs*1000))
	}
	return Invocation{Path: c.Binary(), Args: args, Env: env, Headless: !l.Interactive}, nil
}

// settings returns what is added to your settings. On its own screen the client would ask whether it may work
// without questions, and end without your answer; you have chosen it, or ferrus's sandbox holds it.
func (c claude) settings(l Launch) map[string]any {
	all := map[string]any{}
	if found := c.sharedServers(l); (l.Interactive || !l.OnlyFerrus) && len(found) > 0 {
		all["disabledMcpjsonServers"] = found
	}
	if l.Interactive && l.Bypass {
		all["skipDangerousModePermissionPrompt"] = true
	}
	return all
}

// permissions returns the least that lets a role work; for the rest a session that asks has a tool
// of ferrus. The mode is always set: the default of the interactive client depends on a server of
// the vendor.
func (claude) permissions(l Launch) []string {
	reading := l.ferrusTools("ToolSearch", "Read", "Glob", "Grep")
	looking := []string{"Bash(git status:*)", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git show:*)"}
	mode, tools := "dontAsk", append(reading, looking...)
	switch {
	case l.Bypass:
		return []string{"--dangerously-skip-permissions"}
	case l.Ask:
		mode = "default"
		if l.asks() == "edit" {
			mode, tools = "acceptEdits", append(l.ferrusTools("ToolSearch"), append(looking, l.ownTools()...)...)
		}
		return []string{"--permission-mode", mode, "--allowedTools", strings.Join(tools, ","),
			"--permission-prompt-tool", "mcp__ferrus__" + permissionTool}
	case l.edits():
		mode, tools = "acceptEdits", append(l.ferrusTools("Bash"), l.ownTools()...)
	case l.Interactive && l.Mode != "review" && l.Mode != "consult":
		mode, tools = "default", reading // you sit in front of it and are asked for more
	}
	return []string{"--permission-mode", mode, "--allowedTools", strings.Join(tools, ",")}
}

// home returns what of your home a session gets. The file of the login is there where the
// system has no keychain.
func (claude) home() home.List {
	return home.List{Tried: true, Dirs: []home.Dir{
		{Copy: []string{".claude.json"}},
		{Variable: "CLAUDE_CONFIG_DIR", Default: ".claude",
			Copy: []string{".claude.json", "settings.json", "CLAUDE.md", "agents", "commands", "skills",
				"output-styles", "hooks", "rules", "*.sh", "*.py", "*.js", "*.mjs", "*.ts"},
			Show: []string{"plugins"},
			Logins: []home.Login{{File: ".credentials.json", Accounts: []home.Account{
				{Fields: []string{"claudeAiOauth.accessToken", "claudeAiOauth.refreshToken"},
					Renewed: "claudeAiOauth.expiresAt"},
				{Fields: []string{"mcpOAuth.*.accessToken", "mcpOAuth.*.refreshToken"},
					Owner: []string{"mcpOAuth.*.serverUrl", "mcpOAuth.*.clientId"}, Renewed: "mcpOAuth.*.expiresAt"},
			}}}},
	}}
}

// sharedInstructions are what other clients read of yours for this one.
var sharedInstructions = home.Dir{Default: ".claude", Copy: []string{"CLAUDE.md", "skills"}}

// workspaceSettings are where it looks for settings in the directory that it works in.
func (claude) workspaceSettings() []string {
	return []string{".claude", ".mcp.json"}
}

// hosts are of the model and of logins.
func (claude) hosts() []string {
	return []string{
		"api.anthropic.com", "claude.ai", "claude.com", "platform.claude.com", "console.anthropic.com",
		"mcp-proxy.anthropic.com",
	}
}
