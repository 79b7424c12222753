package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"ferrus/agent/home"
	"ferrus/ui/text/lazyregexp"
)

func init() { register(opencode{}) }

// opencode takes a configuration from its environment, which is merged over your own; a rule
// that comes later in alphabetical order wins. It passes its environment to MCP servers, and
// with it the nonce.
type opencode struct{}

func (opencode) Name() string   { return "opencode" }
func (opencode) Binary() string { return "opencode" }
func (opencode) WaitSecs() int  { return defaultWaitSecs }
func (o opencode) Renderer() Renderer {
	return &opencodeRenderer{sessionFailure: sessionFailure{patterns: o.limitPatterns()}}
}

func (opencode) reportsUsage() (tokens, cost bool) { return true, true }

func (opencode) helpArgs() [][]string { return [][]string{{"--help"}, {"run", "--help"}} }

// limitPatterns has the sentences of the services behind opencode.
func (opencode) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"rate limit", "usage limit", "limit reached", "quota exceeded", "quota exhausted",
			"too many requests", "free usage exceeded"},
		then: []string{"try again in ", "try again at ", "resets in ", "resets at ", "reset in ", "reset at ",
			"retry after ", "retrying in "},
	}
}

func (opencode) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `opencode auth login` in a terminal, or set the key of its provider",
			[]string{"session failed: 401", "providerautherror", "loadapikeyerror", "api key is missing"}},
		{forbidden, fixForbidden, []string{"session failed: 403", "providermodelnotfounderror"}},
		{spent, fixSpent,
			[]string{"session failed: 402", "session failed: 429", "not answer (rate limit",
				"not answer (too many requests", "not answer (you exceeded", "you exceeded your current quota",
				"insufficient_quota"}},
		{refusing, fixRefusing,
			[]string{"the user rejected permission", "the user has specified a rule which prevents you"}},
	}
}

// toolPrefix is before the names of the tools of ferrus.
func (opencode) toolPrefix() string { return "ferrus_" }

func (o opencode) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	if l.Ask { // a session that prints events ends where it would ask
		inv := l.invokeProtocol(o, prefixTools(l.Prompt, o.toolPrefix()), l.Model,
			[]string{o.Binary(), "acp", "--print-logs", "--log-level", "ERROR"})
		inv.Env = append(inv.Env, append(o.environment(l), errorsVar+"="+errorsPrefix)...)
		return inv, nil
	}
	var args []string
	if !l.Interactive {
		args = append(args, "run", "--format", "json", "--print-logs", "--log-level", "ERROR")
	}
	if l.Model != "" {
		args = append(args, "--model", l.Model)
	}
	args = append(args, o.continuing(l.Conversation)...)
	if l.Bypass {
		args = append(args, "--auto")
	}
	prompt := prefixTools(l.Prompt, o.toolPrefix())
	env := append(append(l.env(), o.environment(l)...), o.promptOf(l, prompt)...)
	switch {
	case !l.Interactive:
		args = append(args, prompt)
	case prompt != "" && o.promptOf(l, prompt) == nil:
		args = append(args, "--prompt", prompt)
	}
	return Invocation{Path: o.Binary(), Args: args, Env: env, Headless: !l.Interactive}, nil
}

// environment returns the variables that only this program reads.
func (o opencode) environment(l Launch) []string {
	env := []string{"OPENCODE_CONFIG_CONTENT=" + toJSON(o.config(l)), "OPENCODE_DISABLE_AUTOUPDATE=1"}
	if l.judges() {
		env = append(env, "OPENCODE_DISABLE_PROJECT_CONFIG=1")
	}
	return env
}

// config returns what the session has in addition to your own configuration.
func (o opencode) config(l Launch) map[string]any {
	servers := map[string]any{}
	for _, name := range o.registeredServers(l) {
		servers[name] = map[string]bool{"enabled": false}
	}
	if l.OnlyFerrus {
		for _, name := range l.OwnServers {
			servers[name] = map[string]bool{"enabled": false}
		}
	}
	config := map[string]any{"permission": o.permissions(l)}
	if l.Reports != "" {
		name, _ := o.plugin()
		config["plugin"] = []string{"file://" + filepath.Join(l.Reports, name)}
	}
	if len(servers) > 0 || !l.NoServer && !l.Ask {
		config["mcp"] = servers
	}
	if l.NoServer || l.Ask { // the protocol brings the server
		return config
	}
	s := l.server(o)
	servers["ferrus"] = map[string]any{
		"type": "local", "enabled": true, "command": append([]string{s.Command}, s.Args...), "environment": s.Env,
		"timeout": noTimeoutSecs * 1000,
	}
	return config
}

// permissions returns the least that lets a role work. A headless session ends where it
// would ask, also for a path outside the workspace, so that is denied.
func (opencode) permissions(l Launch) map[string]any {
	rules := map[string]any{"ferrus_*": "allow", "doom_loop": "allow"}
	look := map[string]string{"*": "ask", "git diff*": "allow", "git log*": "allow", "git show*": "allow",
		"git status*": "allow"}
	if !l.Interactive && !l.Bypass {
		rules["external_directory"] = "deny"
	}
	switch {
	case l.Bypass:
	case l.Ask:
		rules["external_directory"], rules["bash"], rules["edit"] = "ask", look, "deny"
		if l.asks() == "edit" {
			rules["edit"] = "allow"
		}
	case l.edits():
		rules["edit"], rules["bash"] = "allow", "allow"
	default:
		rest := "deny"
		if l.Interactive && l.Mode != "review" && l.Mode != "consult" {
			rest = "ask" // you sit in front of it
		}
		rules["edit"] = rest
		look["*"] = rest
		rules["bash"] = look
	}
	return rules
}

// opencodeRenderer renders the events of opencode: texts, tool calls when they have ended, and
// steps with their usage.
type opencodeRenderer struct {
	transcriptWriter
	sessionFailure
	final string
	used  Usage
}

type opencodeEvent struct {
	Type string
	Part struct {
		Text, Tool string
		State      struct {
			Status, Output, Error string
			Input                 json.RawMessage
			Metadata              struct{ Exit *int }
		}
		Tokens *struct {
			Input, Output, Reasoning int
			Cache                    struct{ Read, Write int }
		}
		Cost   *float64
		Reason string
	}
	Error struct {
		Name string
		Data struct {
			Message    string
			StatusCode int
		}
	}
}

func (p *opencodeRenderer) Render(line []byte) []byte {
	var e opencodeEvent
	if p.handleLog(string(line)) {
		return p.flush()
	}
	if parseObject(&p.transcriptWriter, line, &e) {
		p.event(e)
	}
	return p.flush()
}

// logLine matches a line of the program's log, the only place where it reports retries.
var logLine = lazyregexp.New(`^timestamp=\S+ level=[A-Z]+ .*?message=("(?:[^"\\]|\\.)*"|\S+)(.*)`)

var logError = lazyregexp.New(`error\.error="((?:[^"\\]|\\.)*)"`)

// errorHandled is a line of the dump that the program prints of a request that failed; its answer says the same.
var errorHandled = lazyregexp.New(`^(?:Error handling request \{|\} \{|[}\]],?|\[Object \.\.\.\]|` +
	`(?:jsonrpc|id|method|params|sessionId|prompt|code|message|data|service|errorName): .*)$`)

// readLog knows the lines about a server that does not answer, or refuses, and lines without information.
func (opencode) readLog(line string) (text string, known bool) {
	if reported, ok := strings.CutPrefix(line, errorsPrefix); ok {
		var answer struct {
			StatusCode int
			Message    string
		}
		if json.Unmarshal([]byte(reported), &answer) == nil && answer.StatusCode > 0 {
			return "the session failed: " + withStatus(answer.StatusCode, oneLine(answer.Message, maxFaultCells)), true
		}
	}
	if m := logLine.FindStringSubmatch(line); m != nil {
		return retryIn(m), true
	}
	return "", errorHandled.MatchString(line)
}

// retryIn returns the line about a retry in a line of the log; empty: it has none. Errors of side requests for a title,
// made to a small model, do not matter.
func retryIn(m []string) string {
	why := logError.FindStringSubmatch(m[2])
	if why == nil || m[1] != `"stream error"` || strings.Contains(m[2], " small=true") {
		return ""
	}
	message := strings.ReplaceAll(strings.TrimPrefix(why[1], "AI_APICallError: "), `\"`, `"`)
	return retrying + " (" + unwrapMessage(message) + ")"
}

// handleLog handles a line that is not an event.
func (p *opencodeRenderer) handleLog(line string) bool {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	why := logError.FindStringSubmatch(m[2])
	switch retry := retryIn(m); {
	case retry != "":
		p.say(yellow, retry)
	case why != nil && !strings.Contains(m[2], " small=true"):
		p.say(faint, oneLine(strings.Trim(m[1], `"`)+": "+why[1], maxDetailCells))
	}
	return true
}

func (p *opencodeRenderer) Close() []byte { return p.close() }

// Final returns the last message.
func (p *opencodeRenderer) Final() string { return p.final }

// Usage returns the sum of all steps.
func (p *opencodeRenderer) Usage() Usage { return p.used }

func (p *opencodeRenderer) event(e opencodeEvent) {
	switch e.Type {
	case "step_start":
		p.busy = true
	case "text":
		p.final, p.message = e.Part.Text, ""
		p.say("", e.Part.Text)
	case "reasoning":
		p.say(faint, oneLine(e.Part.Text, maxDetailCells))
	case "tool_use":
		p.tool(e)
	case "step_finish":
		p.step(e)
	case "error":
		p.message = withStatus(e.Error.Data.StatusCode, e.Error.Data.Message)
		if e.Error.Data.StatusCode == 0 {
			p.message = strings.TrimSpace(e.Error.Name + " " + p.message)
		}
		p.say(red, "the session failed: "+p.message)
	}
}

// tool shows a call that has ended: there is no event for its beginning.
func (p *opencodeRenderer) tool(e opencodeEvent) {
	s := e.Part.State
	detail := ""
	if !strings.HasPrefix(e.Part.Tool, "ferrus_") {
		detail = callSubject(e.Part.Tool, s.Input)
	}
	done := call{name: e.Part.Tool, detail: detail}
	switch {
	case s.Status == "error":
		s.Error = cmp.Or(s.Error, "no reason given")
		p.endCall(done, s.Error, "")
	case s.Metadata.Exit != nil && *s.Metadata.Exit != 0:
		p.endCall(done, fmt.Sprint("exit ", *s.Metadata.Exit), "")
		p.tail(s.Output)
	default:
		p.endCall(done, "", embeddedStatus(s.Output))
	}
}

// step adds up the usage; the last one shows it.
func (p *opencodeRenderer) step(e opencodeEvent) {
	if t := e.Part.Tokens; t != nil {
		p.used.add(sumTokens(t.Input, t.Cache.Read, t.Cache.Write), t.Cache.Read, sumTokens(t.Output, t.Reasoning))
	}
	if c := e.Part.Cost; c != nil {
		p.used.Cost, p.used.Priced = min(max(p.used.Cost+*c, 0), maxUsage), true
	}
	if e.Part.Reason != "tool-calls" {
		p.busy = false
		p.say(faint, formatTokens(p.used.Input, p.used.Cached, p.used.Output))
	}
}

// ownOpencode are settings and instructions in each of your directories for it.
var ownOpencode = []string{"opencode.json", "opencode.jsonc", "AGENTS.md", "agents", "agent", "modes", "mode",
	"commands", "command", "skills", "skill", "plugins", "plugin", "tools", "tool", "package.json"}

// home returns what of your home a session gets. It reads instructions and skills of Claude Code,
// too.
func (opencode) home() home.List {
	return home.List{Tried: true, Named: []string{"OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"}, Dirs: []home.Dir{
		{Variable: "XDG_CONFIG_HOME", Default: ".config", Below: "opencode",
			Copy: ownOpencode},
		{Default: ".opencode", Copy: ownOpencode},
		sharedInstructions, sharedSkills,
		{Variable: "XDG_DATA_HOME", Default: ".local/share", Below: "opencode",
			Logins: []home.Login{
				{File: "auth.json", Accounts: []home.Account{{Fields: []string{"*.access", "*.refresh"},
					Owner: []string{"*.accountId"}, Renewed: "*.expires"}}},
				{File: "mcp-auth.json", Accounts: []home.Account{{
					Fields: []string{"*.tokens.accessToken", "*.tokens.refreshToken"},
					Owner:  []string{"*.serverUrl", "*.clientInfo.clientId"}, Renewed: "*.tokens.expiresAt"}}},
			}},
		{Variable: "XDG_STATE_HOME", Default: ".local/state", Below: "opencode"},
		{Variable: "XDG_CACHE_HOME", Default: ".cache", Below: "opencode"},
	}}
}

// workspaceSettings are where it looks for settings in the directory that it works in.
func (opencode) workspaceSettings() []string {
	return []string{".opencode", "opencode.json", "opencode.jsonc"}
}

// hosts are of the model and of logins.
func (opencode) hosts() []string {
	return []string{
		"opencode.ai", "*.opencode.ai", "models.dev",
	}
}
