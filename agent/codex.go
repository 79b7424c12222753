package agent

import (
	"cmp"
	"encoding/json"
	"ferrus/ui/text/lazyregexp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func init() {
	register(codex{}, "executor")
	nestedSessionVars = append(nestedSessionVars, "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID")
}

// codex is Codex. Everything is passed on its command line, where a value is TOML and the key of a
// table cannot be quoted. It passes only the variables in env_vars to MCP servers. Its own
// models abort a call that takes more than 30 s.
type codex struct{}

func (codex) Name() string         { return "codex" }
func (codex) Binary() string       { return "codex" }
func (codex) WaitSecs() int        { return 25 }
func (c codex) Renderer() Renderer { return newCodexRenderer(c.limitPatterns()) }

func (codex) reportsUsage() (tokens, cost bool) { return true, false }

// takesImages: its tool view_image shows them to the model.
func (codex) takesImages() bool { return true }

// models returns some that the program itself names.
func (codex) models() []string { return []string{"gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.5"} }

// isDaemon recognizes what a terminal session starts by default: a server for
// all sessions, and the process that renews it.
func (codex) isDaemon(args []string) bool {
	return args[0] == "codex" && hasAny(args[1:], "app-server", "pid-update-loop")
}

func (codex) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your usage limit", "usage limit has been reached", "usage limit reached",
			"rate limit reached"},
		then: []string{"try again at ", "try again in ", "resets at ", "resets in "},
	}
}

func (codex) helpArgs() [][]string { return [][]string{{"--help"}, {"exec", "--help"}} }

func (codex) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `codex login` in a terminal, or set the key that its configuration names",
			[]string{"401 unauthorized", "missing environment variable", "not logged in", "please log in",
				"please sign in", "sign in with chatgpt"}},
		{forbidden, fixForbidden, []string{"403 forbidden"}},
		{spent, fixSpent,
			[]string{"quota exceeded", "ve hit your usage limit", "usage limit", "status 402 payment",
				"last status: 429"}},
		{refusing, fixRefusing, []string{"mcp tool call requires approval", "user cancelled mcp tool call"}},
	}
}

// isRetry recognizes the line that counts retries.
func (codex) isRetry(row string) bool { return strings.HasPrefix(row, "Reconnecting...") }

func (c codex) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	args := []string{"exec", "--json"}
	switch goesOn := l.Conversation != ""; {
	case l.Ask:
		args = []string{"app-server"}
	case l.Interactive && goesOn:
		args = []string{"resume", "--no-daemon"}
	case l.Interactive:
		args = []string{"--no-daemon"} // which would outlive the session
	case goesOn:
		args = []string{"exec", "resume", "--json"}
	}
	if !l.Ask {
		if l.Model != "" {
			args = append(args, "-m", l.Model)
		}
		args = append(args, c.permissions(l)...)
	}
	if l.Interactive || l.judges() {
		args = append(args, "-c", "projects="+c.trusted(l))
	}
	if !l.NoServer {
		args = append(args, "-c", "mcp_servers.ferrus="+c.entry(l))
	}
	args = append(args, c.ownServers(l)...)
	for _, name := range c.registeredServers(l) {
		// With a command, because a project that is not trusted has none to add to.
		args = append(args, "-c", "mcp_servers."+name+`={command="ferrus",enabled=false}`)
	}
	if l.Ask {
		return l.invokeProtocol(c, l.Prompt, "", append(c.bridge(l), append([]string{c.Binary()}, args...)...)), nil
	}
	if l.Conversation != "" {
		args = append(args, l.Conversation)
	}
	if l.Prompt != "" {
		args = append(args, l.Prompt)
	}
	return Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}, nil
}

// bridge returns the ferrus command that connects Codex's app server to the protocol that sessions ask
// for permission in. Codex asks before each command that it does not know to be harmless.
func (codex) bridge(l Launch) []string {
	sandbox := "read-only"
	switch {
	case l.Confined: // its own sandbox does not work inside of ours
		sandbox = "danger-full-access"
	case l.asks() == "edit":
		sandbox = "workspace-write"
	}
	return []string{l.Ferrus, "app-server", "--approval=untrusted", "--sandbox=" + sandbox, "--model=" + l.Model, "--"}
}

// bareKey matches a name that is no other key in TOML.
var bareKey = lazyregexp.New(`^[A-Za-z0-9_-]+$`)

// ownServers returns what becomes of the human's own servers: an agent that works by itself may
// call them, because nothing is asked where it works.
func (codex) ownServers(l Launch) (args []string) {
	for _, name := range l.OwnServers {
		switch key := "mcp_servers." + name; {
		case !bareKey.MatchString(name):
		case l.OnlyFerrus:
			args = append(args, "-c", key+".enabled=false")
		case l.edits():
			args = append(args, "-c", key+`.default_tools_approval_mode="approve"`)
		}
	}
	return args
}

func (codex) permissions(l Launch) []string {
	sandbox, approval := "read-only", "never"
	switch {
	case l.Bypass, l.Confined: // its own sandbox does not work inside of ours
		return []string{"--dangerously-bypass-approvals-and-sandbox"}
	case l.edits():
		sandbox = "workspace-write"
	case l.Interactive && l.Mode != "review" && l.Mode != "consult":
		approval = "on-request" // you sit in front of it
	}
	if l.Conversation != "" { // where the flag is unknown
		return []string{"-c", "sandbox_mode=" + toJSON(sandbox), "-c", "approval_policy=" + toJSON(approval)}
	}
	return []string{"-s", sandbox, "-c", "approval_policy=" + toJSON(approval)}
}

// trusted answers whether the directory is trusted, which you did by starting ferrus there. The settings of one that
// is not trusted have no effect, but Codex's own screen first asks whether to open it; that is left to you only where
// an executor has left settings that no sandbox hides.
func (codex) trusted(l Launch) string {
	level := `={trust_level="trusted"}`
	if l.judges() && (!l.Interactive || l.SettingsLeft) {
		level = `={trust_level="untrusted"}`
	}
	tables := toJSON(l.Project) + level
	if l.Workspace != "" && l.Workspace != l.Project {
		tables += "," + toJSON(l.Workspace) + level
	}
	return "{" + tables + "}"
}

func (c codex) entry(l Launch) string {
	s := l.server(c)
	var env []string
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, name+"="+toJSON(s.Env[name]))
	}
	return "{" + strings.Join([]string{
		"command=" + toJSON(s.Command),
		"args=" + toJSON(s.Args),
		"env={" + strings.Join(env, ",") + "}",
		`env_vars=["FERRUS_NONCE"]`,
		`default_tools_approval_mode="approve"`,
		"required=true",
		"startup_timeout_sec=30",
		fmt.Sprint("tool_timeout_sec=", noTimeoutSecs),
	}, ",") + "}"
}

// codexRenderer renders the events of codex exec --json: items that start, change and
// complete within turns.
type codexRenderer struct {
	transcriptWriter
	sessionFailure
	used  Usage
	final string // the last message
}

func newCodexRenderer(a limitPatterns) Renderer {
	return &codexRenderer{sessionFailure: sessionFailure{patterns: a}}
}

type codexEvent struct {
	Type     string
	ThreadID string `json:"thread_id"`
	Item     codexItem
	Message  string
	Error    json.RawMessage
	Usage    *struct {
		In     int `json:"input_tokens"`
		Cached int `json:"cached_input_tokens"`
		Out    int `json:"output_tokens"`
	}
}

// codexItem is one item of a turn. It has more than 12 fields because each type of item has
// its own.
type codexItem struct {
	ID, Type, Status, Text string
	Command                string
	Output                 string `json:"aggregated_output"`
	Exit                   *int   `json:"exit_code"`
	Changes                []struct{ Path, Kind string }
	Server, Tool, Query    string
	Result                 struct {
		Content    json.RawMessage
		Structured json.RawMessage `json:"structured_content"`
	}
	Error   json.RawMessage
	Message string
	Items   []struct {
		Text      string
		Completed bool
	}
}

func (t *codexRenderer) Render(line []byte) []byte {
	var e codexEvent
	if parseObject(&t.transcriptWriter, line, &e) {
		t.event(e)
	}
	return t.flush()
}

func (t *codexRenderer) Close() []byte { return t.close() }

func (t *codexRenderer) event(e codexEvent) {
	switch e.Type {
	case "thread.started":
		t.say(faint, "session "+e.ThreadID)
	case "turn.started":
		t.busy = true
	case "item.started":
		t.started(e.Item)
	case "item.completed":
		t.completed(e.Item)
	case "turn.completed":
		t.busy, t.message = false, ""
		t.addUsage(e)
	case "turn.failed":
		t.busy, t.message = false, errorText(e.Error)
		t.say(red, "the session failed: "+t.message)
	case "error":
		t.say(red, unwrapMessage(e.Message)+errorText(e.Error))
	}
}

// Final returns the last message.
func (t *codexRenderer) Final() string { return t.final }

// Usage returns the sum of all turns.
func (t *codexRenderer) Usage() Usage { return t.used }

// addUsage adds up what the turns used.
func (t *codexRenderer) addUsage(e codexEvent) {
	u := e.Usage
	if u == nil {
		return
	}
	t.used.add(u.In, u.Cached, u.Out)
	t.say(faint, formatTokens(t.used.Input, t.used.Cached, t.used.Output))
}

// call words an item that takes time.
func (i codexItem) call() (c call, takes bool) {
	switch i.Type {
	case "command_execution":
		return call{i.ID, "$", unwrapShell(i.Command)}, true
	case "mcp_tool_call":
		return call{i.ID, "mcp__" + i.Server + "__" + i.Tool, ""}, true
	case "web_search":
		return call{i.ID, "web_search", i.Query}, true
	}
	return call{}, false
}

// unwrapShell returns the command that a shell was started for.
func unwrapShell(command string) string {
	for _, shell := range []string{"bash -lc ", "bash -c ", "zsh -lc ", "zsh -c ", "sh -lc ", "sh -c "} {
		if before, inner, ok := strings.Cut(command, shell); ok && !strings.Contains(before, " ") {
			return strings.ReplaceAll(strings.Trim(inner, `"'`), `'\''`, "'")
		}
	}
	return command
}

func (t *codexRenderer) started(i codexItem) {
	if c, takes := i.call(); takes {
		t.startCall(c)
	}
}

func (t *codexRenderer) completed(i codexItem) {
	c, _ := i.call()
	switch i.Type {
	case "agent_message":
		t.final = i.Text
		t.say("", i.Text)
	case "reasoning":
		t.say(faint, oneLine(strings.ReplaceAll(i.Text, "**", ""), maxDetailCells))
	case "command_execution":
		t.command(c, i)
	case "mcp_tool_call":
		t.tool(c, i)
	case "web_search":
		t.endCall(c, "", "")
	case "file_change":
		t.changed(i)
	case "todo_list":
		t.todo(i)
	case "error":
		t.say(yellow, unwrapMessage(i.Message))
	}
}

func (t *codexRenderer) command(c call, i codexItem) {
	if i.Exit != nil && *i.Exit == 0 {
		t.endCall(c, "", "exit 0")
		return
	}
	fault := i.Status
	if i.Exit != nil {
		fault = fmt.Sprint("exit ", *i.Exit)
	}
	t.endCall(c, fault, "")
	t.tail(i.Output)
}

func (t *codexRenderer) tool(c call, i codexItem) {
	text := resultText(i.Result.Content)
	fault := errorText(i.Error)
	if fault == "" && i.Status == "failed" {
		fault = text
		fault = cmp.Or(fault, "no reason given")
	}
	status := toolStatus(string(i.Result.Structured))
	if status == "" {
		status = toolStatus(text)
	}
	if fault != "" {
		status = ""
	}
	t.endCall(c, fault, status)
}

func (t *codexRenderer) changed(i codexItem) {
	for _, change := range i.Changes {
		fault := ""
		if i.Status == "failed" {
			fault = "not changed"
		}
		t.endCall(call{name: change.Kind, detail: change.Path}, fault, "")
	}
}

func (t *codexRenderer) todo(i codexItem) {
	for _, item := range i.Items {
		mark := "[ ] "
		if item.Completed {
			mark = "[x] "
		}
		t.say(faint, mark+oneLine(item.Text, maxDetailCells))
	}
}

// workspaceSettings are where it looks for settings in the directory that it works in.
func (codex) workspaceSettings() []string {
	return []string{".codex"}
}
