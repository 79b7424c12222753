package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() {
	register(codex{}, "executor")
	nested = append(nested, "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID")
}

// codex is Codex. All it needs goes on its command line, where a value is TOML
// and the key of a table cannot be quoted. It hands nothing of its environment
// on to MCP servers but what env_vars names. Models of its own cut a call that
// takes more than 30 s.
type codex struct{}

func (codex) Name() string         { return "codex" }
func (codex) Binary() string       { return "codex" }
func (codex) WaitSecs() int        { return 25 }
func (c codex) Renderer() Renderer { return newThread(c.allowance()) }

func (codex) reports() (tokens, cost bool) { return true, false }

// models are some that its program names itself.
func (codex) models() []string { return []string{"gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.5"} }

// daemon recognises what a terminal session starts that was not told to keep from
// it: a server for all sessions, and who renews it.
func (codex) daemon(args []string) bool {
	return args[0] == "codex" && hasAny(args[1:], "app-server", "pid-update-loop")
}

func (codex) allowance() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your usage limit", "usage limit has been reached", "usage limit reached", "rate limit reached"},
		then: []string{"try again at ", "try again in ", "resets at ", "resets in "},
	}
}

func (codex) helps() [][]string { return [][]string{{"--help"}, {"exec", "--help"}} }

func (codex) symptoms() []troublePattern {
	return []troublePattern{
		{signedOut, "run `codex login` in a terminal, or set the key that its configuration names", []string{"401 unauthorized", "missing environment variable", "not logged in", "please log in", "please sign in", "sign in with chatgpt"}},
		{forbidden, mendForbidden, []string{"403 forbidden"}},
		{spent, mendSpent, []string{"quota exceeded", "ve hit your usage limit", "usage limit", "status 402 payment", "last status: 429"}},
		{refusing, mendRefusing, []string{"mcp tool call requires approval", "user cancelled mcp tool call"}},
	}
}

// again knows the line of an error that counts how often it has tried.
func (codex) again(row string) bool { return strings.HasPrefix(row, "Reconnecting...") }

func (c codex) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	args := []string{"exec", "--json"}
	if l.Interactive {
		args = []string{"--no-daemon"} // which would outlive the session
	}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	args = append(args, c.permissions(l)...)
	if l.Interactive {
		args = append(args, "-c", "projects="+c.trusted(l))
	}
	if !l.NoServer {
		args = append(args, "-c", "mcp_servers.ferrus="+c.entry(l))
	}
	for _, name := range c.registered(l) {
		// With a command, because a project that is not trusted has none to add to.
		args = append(args, "-c", "mcp_servers."+name+`={command="ferrus",enabled=false}`)
	}
	if l.Prompt != "" {
		args = append(args, l.Prompt)
	}
	return Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}, nil
}

func (codex) permissions(l Launch) []string {
	sandbox, approval := "read-only", "never"
	switch {
	case l.Bypass:
		return []string{"--dangerously-bypass-approvals-and-sandbox"}
	case l.Role == "executor" || l.CanEdit:
		sandbox = "workspace-write"
	case l.Interactive && l.Mode != "review" && l.Mode != "consult":
		approval = "on-request" // a person sits before it
	}
	return []string{"-s", sandbox, "-c", "approval_policy=" + quoted(approval)}
}

// trusted answers the question whether the folder is trusted, which a person did
// by starting ferrus there.
func (codex) trusted(l Launch) string {
	tables := quoted(l.Project) + `={trust_level="trusted"}`
	if l.Workspace != "" && l.Workspace != l.Project {
		tables += "," + quoted(l.Workspace) + `={trust_level="trusted"}`
	}
	return "{" + tables + "}"
}

func (c codex) entry(l Launch) string {
	s := l.server(c)
	return "{" + strings.Join([]string{
		"command=" + quoted(s.Command),
		"args=" + quoted(s.Args),
		fmt.Sprintf("env={FERRUS_PROJECT=%s,FERRUS_WAIT_SECS=%s}", quoted(l.Project), quoted(l.wait(c))),
		`env_vars=["FERRUS_NONCE"]`,
		`default_tools_approval_mode="approve"`,
		"required=true",
		"startup_timeout_sec=30",
		fmt.Sprint("tool_timeout_sec=", endless),
	}, ",") + "}"
}

// thread renders the events of codex exec --json: items that start, change and
// complete within turns.
type thread struct {
	transcriptWriter
	fault
	used  Usage
	final string // what was said last
}

func newThread(a limitPatterns) Renderer { return &thread{fault: fault{allowance: a}} }

type threadEvent struct {
	Type     string
	ThreadID string `json:"thread_id"`
	Item     threadItem
	Message  string
	Error    json.RawMessage
	Usage    *struct {
		In     int `json:"input_tokens"`
		Cached int `json:"cached_input_tokens"`
		Out    int `json:"output_tokens"`
	}
}

type threadItem struct {
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

func (t *thread) Render(line []byte) []byte {
	var e threadEvent
	if object(&t.transcriptWriter, line, &e) {
		t.event(e)
	}
	return t.take()
}

func (t *thread) Close() []byte { return t.close() }

func (t *thread) event(e threadEvent) {
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
		t.busy, t.said = false, ""
		t.turned(e)
	case "turn.failed":
		t.busy, t.said = false, failure(e.Error)
		t.say(red, "the session failed: "+t.said)
	case "error":
		t.say(red, worded(e.Message)+failure(e.Error))
	}
}

// turned adds up what the turns used.
func (t *thread) turned(e threadEvent) {
	u := e.Usage
	if u == nil {
		return
	}
	t.used.Known = true
	t.used.Input, t.used.Cached, t.used.Output = amount(t.used.Input+amount(u.In)), amount(t.used.Cached+amount(u.Cached)), amount(t.used.Output+amount(u.Out))
	t.say(faint, tokens(t.used.Input, t.used.Cached, t.used.Output))
}

// call words an item that takes time.
func (i threadItem) call() (c call, takes bool) {
	switch i.Type {
	case "command_execution":
		return call{i.ID, "$", unwrapped(i.Command)}, true
	case "mcp_tool_call":
		return call{i.ID, "mcp__" + i.Server + "__" + i.Tool, ""}, true
	case "web_search":
		return call{i.ID, "web_search", i.Query}, true
	}
	return call{}, false
}

// unwrapped is the command that a shell was started for.
func unwrapped(command string) string {
	for _, shell := range []string{"bash -lc ", "bash -c ", "zsh -lc ", "zsh -c ", "sh -lc ", "sh -c "} {
		if before, inner, ok := strings.Cut(command, shell); ok && !strings.Contains(before, " ") {
			return strings.ReplaceAll(strings.Trim(inner, `"'`), `'\''`, "'")
		}
	}
	return command
}

func (t *thread) started(i threadItem) {
	if c, takes := i.call(); takes {
		t.begin(c)
	}
}

func (t *thread) completed(i threadItem) {
	c, _ := i.call()
	switch i.Type {
	case "agent_message":
		t.final = i.Text
		t.say("", i.Text)
	case "reasoning":
		t.say(faint, oneLine(strings.ReplaceAll(i.Text, "**", ""), longDetail))
	case "command_execution":
		t.command(c, i)
	case "mcp_tool_call":
		t.tool(c, i)
	case "web_search":
		t.end(c, "", "")
	case "file_change":
		t.changed(i)
	case "todo_list":
		t.todo(i)
	case "error":
		t.say(yellow, worded(i.Message))
	}
}

func (t *thread) command(c call, i threadItem) {
	if i.Exit != nil && *i.Exit == 0 {
		t.end(c, "", "exit 0")
		return
	}
	fault := i.Status
	if i.Exit != nil {
		fault = fmt.Sprint("exit ", *i.Exit)
	}
	t.end(c, fault, "")
	t.tail(i.Output)
}

func (t *thread) tool(c call, i threadItem) {
	text := content(i.Result.Content)
	fault := failure(i.Error)
	if fault == "" && i.Status == "failed" {
		fault = text
		if fault == "" {
			fault = "no reason given"
		}
	}
	said := status(string(i.Result.Structured))
	if said == "" {
		said = status(text)
	}
	if fault != "" {
		said = ""
	}
	t.end(c, fault, said)
}

func (t *thread) changed(i threadItem) {
	for _, change := range i.Changes {
		fault := ""
		if i.Status == "failed" {
			fault = "not changed"
		}
		t.end(call{name: change.Kind, detail: change.Path}, fault, "")
	}
}

func (t *thread) todo(i threadItem) {
	for _, item := range i.Items {
		mark := "[ ] "
		if item.Completed {
			mark = "[x] "
		}
		t.say(faint, mark+oneLine(item.Text, longDetail))
	}
}
