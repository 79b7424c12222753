package agent

import (
	"strings"

	"ferrus/agent/home"
)

func init() {
	register(qwen{})
	nestedSessionVars = append(nestedSessionVars, "QWEN_CODE")
}

// qwen is Qwen Code. A plain prompt means headless, even on a terminal; -i takes the prompt of
// an interactive session. It passes its environment to MCP servers, and with it the nonce.
type qwen struct{}

func (qwen) Name() string         { return "qwen-code" }
func (qwen) Binary() string       { return "qwen" }
func (qwen) WaitSecs() int        { return defaultWaitSecs }
func (q qwen) Renderer() Renderer { return newStreamRenderer(q.limitPatterns()) }

func (qwen) reportsUsage() (tokens, cost bool) { return true, false }

// limitPatterns has the sentences of the services behind Qwen Code: a quota that resets,
// and a rate limit.
func (qwen) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"quota exhausted", "quota exceeded", "rate limit", "usage limit", "limit reached"},
		then: []string{"reset at ", "resets at ", "reset in ", "resets in ", "try again in ", "retry after ",
			"retry-after"},
	}
}

func (qwen) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `qwen` in a terminal and type /auth, or set the key of its service",
			[]string{"api error: 401", "missing api key", "no auth type is selected", "select authentication method",
				"invalid api key"}},
		{forbidden, fixForbidden, []string{"api error: 403"}},
		{spent, fixSpent,
			[]string{"quota exhausted", "quota exceeded", "exceeded your current quota", "api error: 429",
				"api error: 402", waiting}},
		{refusing, fixRefusing, []string{"refused: it lacks the permission", "qwen code requires permission"}},
	}
}

// waiting is what it prints in an unattended session at a usage limit.
const waiting = "waiting for api capacity"

// unattendedRetry makes Qwen Code print a line when it tries a request again.
const unattendedRetry = "QWEN_CODE_UNATTENDED_RETRY=1"

// isRetry recognizes that line.
func (qwen) isRetry(row string) bool { return strings.Contains(foldedASCII(row), waiting) }

func (q qwen) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	if l.Ask {
		inv := l.invokeProtocol(q, l.Prompt, "", q.protocol(l))
		inv.Env = append(append(inv.Env, unattendedRetry), q.environment(l)...)
		return inv, nil
	}
	entry := l.server(q)
	entry.Timeout, entry.AlwaysTools, entry.Trust = noTimeoutSecs*1000, true, true
	var args []string
	if l.Interactive && l.Prompt != "" {
		args = append(args, "-i")
	}
	if l.Prompt != "" {
		args = append(args, l.Prompt)
	}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	if l.Conversation != "" {
		args = append(args, "--resume", l.Conversation)
	}
	args = append(args, "--mcp-config", l.configJSON(entry), "--allowed-mcp-server-names", "ferrus")
	if !l.OnlyFerrus {
		for _, name := range l.OwnServers { // by name: the workspace's files may have others
			args = append(args, "--allowed-mcp-server-names", name)
		}
	}
	args = append(args, q.permissions(l)...)
	if !l.Interactive {
		args = append(args, "-o", "stream-json")
	}
	env := append(l.env(), q.environment(l)...)
	if !l.Interactive {
		env = append(env, unattendedRetry)
	}
	return Invocation{Path: q.Binary(), Args: args, Env: env, Headless: !l.Interactive}, nil
}

// environment returns the variables of a session that judges where no sandbox hides what the change brought: no hooks,
// servers and extensions but ferrus's. It takes none of yours either; in a directory that is not trusted, the program
// would not start ferrus's server.
func (qwen) environment(l Launch) []string {
	if l.judges() && !l.Confined {
		return []string{"QWEN_CODE_SAFE_MODE=1"}
	}
	return nil
}

// protocol returns the command line that speaks the Agent Client Protocol, the only way in which a
// session without a screen asks.
func (q qwen) protocol(l Launch) []string {
	args := []string{q.Binary(), "--acp", "--approval-mode", "default"}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	if l.OnlyFerrus {
		args = append(args, "--allowed-mcp-server-names", "ferrus")
	}
	return args
}

// permissions returns the least that lets a role work: the entry's trust allows the tools of
// ferrus, and in the default mode a headless client offers no others that change anything.
func (qwen) permissions(l Launch) []string {
	switch {
	case l.Bypass:
		return []string{"--yolo"}
	case l.edits():
		return []string{"--approval-mode", "auto-edit", "--allowed-tools", "run_shell_command"}
	}
	return []string{"--approval-mode", "default"}
}

// home returns what of your home a session gets.
func (qwen) home() home.List {
	return home.List{Tried: true, Dirs: []home.Dir{{
		Variable: "QWEN_HOME", Default: ".qwen",
		Copy: []string{"settings.json", "QWEN.md", "AGENTS.md", ".env", "commands", "agents", "skills", "rules",
			"hooks", "memory.md", "output-language.md", "system.md", "trustedFolders.json", "*.sh", "*.py",
			"*.js", "*.mjs"},
		Show: []string{"extensions"},
		Logins: []home.Login{{File: "oauth_creds.json", Accounts: []home.Account{{
			Fields: []string{"access_token", "refresh_token"}, Owner: []string{"resource_url"},
			Renewed: "expiry_date"}}}, serverLogins},
	}, sharedSkills}}
}

// workspaceSettings are where it looks for settings in the directory that it works in.
func (qwen) workspaceSettings() []string {
	return []string{".qwen", ".env"}
}

// hosts are of the model and of logins.
func (qwen) hosts() []string {
	return []string{
		"chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com",
		"coding.dashscope.aliyuncs.com", "coding-intl.dashscope.aliyuncs.com",
	}
}
