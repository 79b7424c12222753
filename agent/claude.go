package agent

import "strings"

func init() {
	register(claude{}, "supervisor")
	nested = append(nested, "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID")
}

// claude is Claude Code. Its lists of several values (--mcp-config,
// --allowedTools) eat a prompt that follows them, so the prompt comes first. It
// hands its environment on to MCP servers, and with it the nonce.
type claude struct{}

func (claude) Name() string         { return "claude-code" }
func (claude) Binary() string       { return "claude" }
func (claude) WaitSecs() int        { return patience }
func (c claude) Renderer() Renderer { return newStream(c.allowance()) }

func (claude) reports() (tokens, cost bool) { return true, true }

// models are the aliases of its --model.
func (claude) models() []string { return []string{"opus", "sonnet", "haiku", "fable"} }

// allowance is also that of older releases: "usage limit reached|<seconds since
// 1970>".
func (claude) allowance() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your ", "ve reached your ", "limit reached"},
		then: []string{"resets in ", "resets at ", "resets ", "reset at ", "|"},
	}
}

func (claude) symptoms() []troublePattern {
	return []troublePattern{
		{signedOut, "run `claude /login` in a terminal", []string{"not logged in", "please run /login", "api error: 401", "401 authentication_failed", "invalid api key", "oauth token"}},
		{forbidden, mendForbidden, []string{"api error: 403", "issue with the selected model"}},
		{spent, mendSpent, []string{"credit balance is too low", "api error: 402", "request rejected (429)", "ve hit your ", "ve reached your "}},
		{refusing, mendRefusing, []string{"refused for want of permission", "permission to use "}},
	}
}

func (c claude) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	entry := l.server(c)
	entry.Type, entry.Timeout, entry.AlwaysLoad = "stdio", endless*1000, true
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
	args = append(args, "--mcp-config", l.inline(entry), "--strict-mcp-config")
	args = append(args, c.permissions(l)...)
	if found := c.shared(l); l.Interactive && len(found) > 0 {
		args = append(args, "--settings", quoted(map[string][]string{"disabledMcpjsonServers": found}))
	}
	if !l.Interactive {
		args = append(args, "--output-format", "stream-json", "--verbose")
	}
	return Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}, nil
}

// permissions are the least that lets a role work. A mode is always set: the
// usual one of the interactive client asks a server of the vendor's.
func (claude) permissions(l Launch) []string {
	reading := l.ours("ToolSearch", "Read", "Glob", "Grep")
	mode, tools := "dontAsk", append(reading, "Bash(git status:*)", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git show:*)")
	switch {
	case l.Bypass:
		return []string{"--dangerously-skip-permissions"}
	case l.Role == "executor" || l.CanEdit:
		mode, tools = "acceptEdits", l.ours("Bash")
	case l.Interactive && l.Mode != "review" && l.Mode != "consult":
		mode, tools = "default", reading // a person sits before it and is asked for more
	}
	return []string{"--permission-mode", mode, "--allowedTools", strings.Join(tools, ",")}
}
