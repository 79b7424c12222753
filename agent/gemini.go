package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ferrus/agent/home"
	"ferrus/ui/text/lazyregexp"
)

func init() {
	register(gemini{})
	nestedSessionVars = append(nestedSessionVars, "GEMINI_CLI")
}

// gemini is Gemini CLI. No flag gives it a server, and the settings files that a launch could
// name must belong to root. So it gets ferrus's by the Agent Client Protocol; without a server
// it prints a stream of its own.
type gemini struct{}

func (gemini) Name() string   { return "gemini-cli" }
func (gemini) Binary() string { return "gemini" }
func (gemini) WaitSecs() int  { return defaultWaitSecs }
func (g gemini) Renderer() Renderer {
	return &geminiRenderer{sessionFailure: sessionFailure{patterns: g.limitPatterns()}}
}

func (gemini) reportsUsage() (tokens, cost bool) { return true, false }

// models returns the aliases of --model.
func (gemini) models() []string { return []string{"auto", "pro", "flash", "flash-lite"} }

// limitPatterns has the sentences of Google's services.
func (gemini) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"rate limit", "quota exceeded", "exceeded your current quota", "you have exhausted your ",
			"ve reached your ", "usage limit"},
		then: []string{"retry in ", "try again in ", "reset after ", "resets in ", "resets at ", "reset in ",
			"reset at "},
	}
}

func (gemini) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `gemini` in a terminal and sign in, or set GEMINI_API_KEY",
			[]string{"session failed: 401", "not answer (401", "api key not valid", "please set an auth method",
				"must specify the gemini_api_key", "failed to login"}},
		{forbidden, fixForbidden, []string{"session failed: 403", "not answer (403"}},
		{spent, fixSpent,
			[]string{"session failed: 402", "session failed: 429", "not answer (429", "you have exhausted your "}},
		{refusing, fixRefusing, []string{"tool execution denied by policy", "unauthorized tool call"}},
	}
}

// Install returns the command that installs the program.
func (gemini) Install() string { return "npm install -g @google/gemini-cli" }

func (g gemini) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	if !l.NoServer {
		return l.invokeProtocol(g, prefixTools(l.Prompt, g.toolPrefix()), "", g.protocol(l)), nil
	}
	if l.Interactive {
		return Invocation{}, errors.New("build command line: without a server, gemini has no screen of its own")
	}
	args := []string{"-p", l.Prompt}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	args = append(args, "--skip-trust", "--allowed-mcp-server-names", "none")
	args = append(args, g.permissions(l)...)
	return Invocation{Path: g.Binary(), Args: append(args, "-o", "stream-json"), Env: l.env(), Headless: true}, nil
}

// protocol returns the command line that speaks the protocol. It asks before it changes anything.
func (g gemini) protocol(l Launch) []string {
	args := []string{g.Binary(), "--acp", "--skip-trust", "--approval-mode", "default"}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	if l.OnlyFerrus {
		args = append(args, "--allowed-mcp-server-names", "ferrus")
	}
	return args
}

// dialog: no session with ferrus's tools has another screen.
func (gemini) dialog() bool { return true }

// toolPrefix is before the names of the tools of our server.
func (gemini) toolPrefix() string { return "mcp_ferrus_" }

// readLog knows the lines about a server that does not answer, and lines without information.
func (gemini) readLog(line string) (text string, known bool) {
	if m := retryLine.FindStringSubmatch(line); m != nil {
		return fmt.Sprintf(retrying+" (%s): try %s", strings.TrimSpace(m[2]+" "+unwrapMessage(m[3])), m[1]), true
	}
	return "", noiseLine.MatchString(line)
}

// permissions returns the least that lets a role work: in the default mode a headless session
// has no tool that changes anything.
func (gemini) permissions(l Launch) []string {
	switch {
	case l.Bypass:
		return []string{"--yolo"}
	case l.Role == "executor":
		return []string{"--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"}
	}
	return []string{"--approval-mode", "default"}
}

// Registration puts a role into the project's settings, where comments are allowed. The
// entry's trust allows its calls.
func (g gemini) Registration(r Registered) Registration {
	entry := r.server(g)
	entry.Timeout, entry.Trust = noTimeoutSecs*1000, true
	edits := []Edit{
		{File: ".gemini/settings.json", Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(),
			Value: toJSON(entry), Comments: true},
		r.instructions("GEMINI.md"),
	}
	return Registration{
		Edits: append(edits, ignoreEdits(".gemini/settings.json")...), Server: r.Server(),
		Start: g.Binary(), Alone: g.Binary() + " --allowed-mcp-server-names " + r.Server(),
		Notes: []string{"Gemini CLI reads the project's settings only in a directory that you trust; it asks when " +
			"you start it there"},
	}
}

// geminiRenderer renders the events of Gemini CLI: messages, which come in pieces, tool calls
// with their results, errors, and one result. Events of the Agent Client Protocol go to its
// renderer.
type geminiRenderer struct {
	transcriptWriter
	sessionFailure
	protocol *protocolRenderer // nil: the program prints events of its own

	piece string // of a message that may continue
	final string
	used  Usage
}

// geminiEvent is one event of the stream. It has more than 12 fields because each type of
// event has its own.
type geminiEvent struct {
	Type, Role, Content, Message, Status string

	Session string `json:"session_id"`
	Model   string
	Tool    string          `json:"tool_name"`
	ID      string          `json:"tool_id"`
	Input   json.RawMessage `json:"parameters"`
	Output  string
	Error   json.RawMessage
	Stats   *struct {
		In     int `json:"input_tokens"`
		Cached int
		Out    int `json:"output_tokens"`
	}
}

func (t *geminiRenderer) Render(line []byte) []byte {
	if t.protocol == nil && bytes.HasPrefix(line, []byte(`{"acp":`)) {
		t.protocol = newProtocolRenderer(gemini{}.Name())
	}
	if t.protocol != nil {
		return t.protocol.Render(line)
	}
	var e geminiEvent
	if t.handleLog(string(line)) {
		return t.flush()
	}
	if parseObject(&t.transcriptWriter, line, &e) {
		t.event(e)
	}
	return t.flush()
}

// retryLine matches the log line about a server that does not answer.
var retryLine = lazyregexp.New(`^Attempt (\d+) failed(?: with status (\d+))?\. ` +
	`Retrying with backoff\.\.\. (?:\w+: )?(.*)`)

// noiseLine matches log lines without information.
var noiseLine = lazyregexp.New(`^(    at |  status: \d+$|\}$|\[STARTUP\] |Ripgrep is not available)`)

// handleLog handles a line that is not an event.
func (t *geminiRenderer) handleLog(line string) bool {
	text, known := gemini{}.readLog(line)
	t.say(yellow, text)
	return known
}

func (t *geminiRenderer) Close() []byte {
	if t.protocol != nil {
		return t.protocol.Close()
	}
	t.flushMessage()
	return t.close()
}

// Final returns the last message.
func (t *geminiRenderer) Final() string {
	if t.protocol != nil {
		return t.protocol.Final()
	}
	if t.piece != "" {
		return t.piece
	}
	return t.final
}

// Usage returns the usage in the result.
func (t *geminiRenderer) Usage() Usage {
	if t.protocol != nil {
		return t.protocol.Usage()
	}
	return t.used
}

// Limit returns the limit that ended the session.
func (t *geminiRenderer) Limit(now time.Time) Limit {
	if t.protocol != nil {
		return t.protocol.Limit(now)
	}
	return t.sessionFailure.Limit(now)
}

// flushMessage writes a complete message.
func (t *geminiRenderer) flushMessage() {
	if t.piece != "" {
		t.final, t.piece = t.piece, ""
		t.say("", t.final)
	}
}

func (t *geminiRenderer) event(e geminiEvent) {
	if e.Type == "message" && e.Role == "assistant" {
		t.piece += e.Content
		return
	}
	t.flushMessage()
	switch e.Type {
	case "init":
		t.busy = true
		t.say(faint, strings.TrimRight("session "+e.Session+"  "+e.Model, " "))
	case "tool_use":
		t.startCall(call{e.ID, e.Tool, callSubject(e.Tool, e.Input)})
	case "tool_result":
		t.toolEnded(e)
	case "error":
		t.say(red, unwrapMessage(e.Message))
	case "result":
		t.result(e)
	}
}

func (t *geminiRenderer) toolEnded(e geminiEvent) {
	fault := ""
	if e.Status == "error" {
		if fault = errorText(e.Error); fault == "" {
			fault = "no reason given"
		}
	}
	t.endCall(call{id: e.ID, name: "tool"}, fault, "")
}

func (t *geminiRenderer) result(e geminiEvent) {
	t.busy = false
	t.message = ""
	if e.Status == "error" {
		t.message = failureText(e.Error)
		t.say(red, "the session failed: "+t.message)
	}
	if s := e.Stats; s != nil {
		t.used = Usage{}
		t.used.add(s.In, s.Cached, s.Out)
		t.say(faint, formatTokens(t.used.Input, t.used.Cached, t.used.Output))
	}
}

// failureText returns why a session failed: the status and the message of the model's
// server.
func failureText(raw json.RawMessage) string {
	var e struct{ Message string }
	_ = json.Unmarshal(raw, &e) // other data has no message
	text := strings.TrimSuffix(strings.TrimPrefix(e.Message, "[API Error: "), "]")
	var body struct{ Error struct{ Code int } }
	_ = json.Unmarshal([]byte(text), &body) // plain text has no status
	return withStatus(body.Error.Code, text)
}

// home returns what of your home a session gets.
func (gemini) home() home.List {
	return home.List{Tried: true, Dirs: []home.Dir{{
		Variable: geminiHome, Below: ".gemini",
		Copy: []string{"settings.json", "GEMINI.md", "AGENTS.md", ".env", "commands", "agents", "skills", "policies",
			"hooks", "system.md", "trustedFolders.json", "google_accounts.json", "installation_id", "*.sh", "*.py",
			"*.js", "*.mjs"},
		Show: []string{"extensions"},
		Logins: []home.Login{{File: "oauth_creds.json", Accounts: []home.Account{{
			Fields: []string{"access_token", "refresh_token", "id_token"}, Renewed: "expiry_date"}}}, serverLogins},
	}, {Variable: geminiHome, Below: sharedSkills.Default, Copy: sharedSkills.Copy}}}
}

// serverLogins is the file with the logins to MCP servers, in Gemini CLI and its forks.
var serverLogins = home.Login{File: "mcp-oauth-tokens.json", Accounts: []home.Account{{
	Fields: []string{"[serverName].token.accessToken", "[serverName].token.refreshToken"},
	Owner:  []string{"[serverName].mcpServerUrl", "[serverName].clientId", "[serverName].tokenUrl"},

	Renewed: "[serverName].token.expiresAt",
}}}

// geminiHome is the variable of the directory that it takes for your home.
const geminiHome = "GEMINI_CLI_HOME"

// workspaceSettings are where it looks for settings in the directory that it works in.
func (gemini) workspaceSettings() []string {
	return []string{".gemini", ".env"}
}

// hosts are of the model, by each way to sign in, and of logins.
func (gemini) hosts() []string {
	return []string{
		"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "aiplatform.googleapis.com",
		"oauth2.googleapis.com", "accounts.google.com", "www.googleapis.com", "codeassist.google.com",
	}
}
