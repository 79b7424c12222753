package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

func init() {
	register(gemini{})
	nested = append(nested, "GEMINI_CLI")
}

// gemini is Gemini CLI. No option gives it a server, and of the files that it reads
// servers from those that a launch could name must belong to root: it plays in a
// pair, and in the loop when it is registered and started by hand.
type gemini struct{}

func (gemini) Name() string         { return "gemini-cli" }
func (gemini) Binary() string       { return "gemini" }
func (gemini) WaitSecs() int        { return patience }
func (g gemini) Renderer() Renderer { return &talk{fault: fault{allowance: g.allowance()}} }

func (gemini) reports() (tokens, cost bool) { return true, false }

// models are the aliases of its --model.
func (gemini) models() []string { return []string{"auto", "pro", "flash", "flash-lite"} }

// allowance is what Google's services say.
func (gemini) allowance() limitPatterns {
	return limitPatterns{
		says: []string{"rate limit", "quota exceeded", "exceeded your current quota", "you have exhausted your ", "ve reached your ", "usage limit"},
		then: []string{"retry in ", "try again in ", "reset after ", "resets in ", "resets at ", "reset in ", "reset at "},
	}
}

func (gemini) symptoms() []troublePattern {
	return []troublePattern{
		{signedOut, "run `gemini` in a terminal and sign in, or set GEMINI_API_KEY", []string{"session failed: 401", "not answer (401", "api key not valid", "please set an auth method", "must specify the gemini_api_key", "failed to login"}},
		{forbidden, mendForbidden, []string{"session failed: 403", "not answer (403"}},
		{spent, mendSpent, []string{"session failed: 402", "session failed: 429", "not answer (429", "you have exhausted your "}},
		{refusing, mendRefusing, []string{"tool execution denied by policy", "unauthorized tool call"}},
	}
}

func (gemini) unfit() string {
	return "it takes MCP servers from its settings files only, and one that a launch names must belong to root"
}

// Getting is how the program is installed.
func (gemini) Getting() string { return "npm install -g @google/gemini-cli" }

func (g gemini) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	if err := CheckSupported(g); err != nil && !l.NoServer {
		return Invocation{}, err
	}
	if l.Interactive {
		return Invocation{}, errors.New("word command line: no person types into a pair")
	}
	args := []string{"-p", l.Prompt}
	if l.Model != "" {
		args = append(args, "-m", l.Model)
	}
	args = append(args, "--skip-trust", "--allowed-mcp-server-names", "none")
	args = append(args, g.permissions(l)...)
	return Invocation{Path: g.Binary(), Args: append(args, "-o", "stream-json"), Env: l.env(), Headless: true}, nil
}

// permissions are the least that lets a role work: in the default mode a headless
// session has no tool that changes anything.
func (gemini) permissions(l Launch) []string {
	switch {
	case l.Bypass:
		return []string{"--yolo"}
	case l.Role == "executor":
		return []string{"--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command"}
	}
	return []string{"--approval-mode", "default"}
}

// Registration puts a role into the project's own settings, where comments are
// allowed. Its calls are let through by trust in the entry.
func (g gemini) Registration(r Registered) Registration {
	entry := r.server(g)
	entry.Timeout, entry.Trust = endless*1000, true
	edits := []Edit{
		{File: ".gemini/settings.json", Kind: Member, Path: []string{"mcpServers"}, Key: r.Server(), Value: quoted(entry), Comments: true},
		r.instructions("GEMINI.md"),
	}
	return Registration{
		Edits: append(edits, ignoring(".gemini/settings.json")...), Server: r.Server(),
		Start: g.Binary(), Alone: g.Binary() + " --allowed-mcp-server-names " + r.Server(),
		Notes: []string{"Gemini CLI reads the project's settings only in a folder that you trust: say so when it asks."},
	}
}

// talk renders the events of Gemini CLI: messages, which come in pieces, calls of
// tools with their results, errors, and one result.
type talk struct {
	transcriptWriter
	fault
	piece string // of a message that may go on
	final string
	used  Usage
}

type talkEvent struct {
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

func (t *talk) Render(line []byte) []byte {
	var e talkEvent
	if t.aside(string(line)) {
		return t.take()
	}
	if object(&t.transcriptWriter, line, &e) {
		t.event(e)
	}
	return t.take()
}

// attempt is what is said beside the stream of a server that does not answer,
// before where in the program it was noticed.
var attempt = regexp.MustCompile(`^Attempt (\d+) failed(?: with status (\d+))?\. Retrying with backoff\.\.\. (?:\w+: )?(.*)`)

// noise is a line of that which tells a person nothing.
var noise = regexp.MustCompile(`^(    at |  status: \d+$|\}$|\[STARTUP\] )`)

// aside handles what is no event.
func (t *talk) aside(line string) bool {
	if m := attempt.FindStringSubmatch(line); m != nil {
		t.say(yellow, fmt.Sprintf(retrying+" (%s): try %s", strings.TrimSpace(m[2]+" "+worded(m[3])), m[1]))
		return true
	}
	return noise.MatchString(line)
}

func (t *talk) Close() []byte {
	t.spoken()
	return t.close()
}

// Final is the newest message.
func (t *talk) Final() string {
	if t.piece != "" {
		return t.piece
	}
	return t.final
}

// Usage is that of the result.
func (t *talk) Usage() Usage { return t.used }

// spoken writes a message that is whole.
func (t *talk) spoken() {
	if t.piece != "" {
		t.final, t.piece = t.piece, ""
		t.say("", t.final)
	}
}

func (t *talk) event(e talkEvent) {
	if e.Type == "message" && e.Role == "assistant" {
		t.piece += e.Content
		return
	}
	t.spoken()
	switch e.Type {
	case "init":
		t.busy = true
		t.say(faint, strings.TrimRight("session "+e.Session+"  "+e.Model, " "))
	case "tool_use":
		t.begin(call{e.ID, e.Tool, about(e.Tool, e.Input)})
	case "tool_result":
		t.ended(e)
	case "error":
		t.say(red, worded(e.Message))
	case "result":
		t.result(e)
	}
}

func (t *talk) ended(e talkEvent) {
	fault := ""
	if e.Status == "error" {
		if fault = failure(e.Error); fault == "" {
			fault = "no reason given"
		}
	}
	t.end(call{id: e.ID, name: "tool"}, fault, "")
}

func (t *talk) result(e talkEvent) {
	t.busy = false
	t.said = ""
	if e.Status == "error" {
		t.said = answered(e.Error)
		t.say(red, "the session failed: "+t.said)
	}
	if s := e.Stats; s != nil {
		t.used = Usage{Known: true, Input: amount(s.In), Cached: amount(s.Cached), Output: amount(s.Out)}
		t.say(faint, tokens(t.used.Input, t.used.Cached, t.used.Output))
	}
}

// answered is why a session failed, without the brackets around what the model's
// server answered, and with its status before.
func answered(raw json.RawMessage) string {
	var e struct{ Message string }
	_ = json.Unmarshal(raw, &e) // of another shape: no words
	text := strings.TrimSuffix(strings.TrimPrefix(e.Message, "[API Error: "), "]")
	var body struct{ Error struct{ Code int } }
	_ = json.Unmarshal([]byte(text), &body) // words only: no status
	return coded(body.Error.Code, text)
}
