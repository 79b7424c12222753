package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

func init() { register(opencode{}) }

// opencode takes a configuration from its environment, which is laid over the
// user's own; a rule that comes later in the order of the alphabet wins over one
// before. It hands its environment on to MCP servers, and with it the nonce.
type opencode struct{}

func (opencode) Name() string         { return "opencode" }
func (opencode) Binary() string       { return "opencode" }
func (opencode) WaitSecs() int        { return patience }
func (o opencode) Renderer() Renderer { return &parts{fault: fault{allowance: o.allowance()}} }

func (opencode) reports() (tokens, cost bool) { return true, true }

func (opencode) helps() [][]string { return [][]string{{"--help"}, {"run", "--help"}} }

// allowance is what the services behind it say.
func (opencode) allowance() limitPatterns {
	return limitPatterns{
		says: []string{"rate limit", "usage limit", "limit reached", "quota exceeded", "quota exhausted", "too many requests", "free usage exceeded"},
		then: []string{"try again in ", "try again at ", "resets in ", "resets at ", "reset in ", "reset at ", "retry after ", "retrying in "},
	}
}

func (opencode) symptoms() []troublePattern {
	return []troublePattern{
		{signedOut, "run `opencode auth login` in a terminal, or set the key of its provider", []string{"session failed: 401", "providerautherror", "loadapikeyerror", "api key is missing"}},
		{forbidden, mendForbidden, []string{"session failed: 403", "providermodelnotfounderror"}},
		{spent, mendSpent, []string{"session failed: 402", "session failed: 429", "not answer (rate limit", "not answer (too many requests", "not answer (you exceeded", "you exceeded your current quota", "insufficient_quota"}},
		{refusing, mendRefusing, []string{"the user rejected permission", "the user has specified a rule which prevents you"}},
	}
}

func (o opencode) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	var args []string
	if !l.Interactive {
		args = append(args, "run", "--format", "json", "--print-logs", "--log-level", "ERROR")
	}
	if l.Model != "" {
		args = append(args, "--model", l.Model)
	}
	if l.Bypass {
		args = append(args, "--auto")
	}
	switch prompt := renamed(l.Prompt, "ferrus_"); {
	case !l.Interactive:
		args = append(args, prompt)
	case l.Prompt != "":
		args = append(args, "--prompt", prompt)
	}
	env := append(l.env(), "OPENCODE_CONFIG_CONTENT="+quoted(o.config(l)), "OPENCODE_DISABLE_AUTOUPDATE=1")
	return Invocation{Path: o.Binary(), Args: args, Env: env, Headless: !l.Interactive}, nil
}

// config is what the session has beside the user's own configuration.
func (o opencode) config(l Launch) map[string]any {
	servers := map[string]any{}
	for _, name := range o.registered(l) {
		servers[name] = map[string]bool{"enabled": false}
	}
	config := map[string]any{"permission": o.permissions(l)}
	if len(servers) > 0 || !l.NoServer {
		config["mcp"] = servers
	}
	if l.NoServer {
		return config
	}
	s := l.server(o)
	servers["ferrus"] = map[string]any{
		"type": "local", "enabled": true, "command": append([]string{s.Command}, s.Args...), "environment": s.Env, "timeout": endless * 1000,
	}
	return config
}

// permissions are the least that lets a role work. A headless session refuses what
// it would ask for.
func (opencode) permissions(l Launch) map[string]any {
	rules := map[string]any{"ferrus_*": "allow", "doom_loop": "allow"}
	switch {
	case l.Bypass:
	case l.Role == "executor" || l.CanEdit:
		rules["edit"], rules["bash"] = "allow", "allow"
	default:
		rest := "deny"
		if l.Interactive && l.Mode != "review" && l.Mode != "consult" {
			rest = "ask" // a person sits before it
		}
		rules["edit"] = rest
		rules["bash"] = map[string]string{"*": rest, "git diff*": "allow", "git log*": "allow", "git show*": "allow", "git status*": "allow"}
	}
	return rules
}

// parts renders the events of opencode: texts, calls of tools when they are over,
// and steps with what each used.
type parts struct {
	transcriptWriter
	fault
	final string
	used  Usage
}

type partsEvent struct {
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

func (p *parts) Render(line []byte) []byte {
	var e partsEvent
	if p.logged(string(line)) {
		return p.take()
	}
	if object(&p.transcriptWriter, line, &e) {
		p.event(e)
	}
	return p.take()
}

// logLine is a line of the program's log, the only place where it says that it tries
// again.
var logLine = regexp.MustCompile(`^timestamp=\S+ level=[A-Z]+ .*?message=("(?:[^"\\]|\\.)*"|\S+)(.*)`)

var logError = regexp.MustCompile(`error\.error="((?:[^"\\]|\\.)*)"`)

// logged handles what is no event. Of the errors, those of the side requests for a
// title, made to a small model, do not matter.
func (p *parts) logged(line string) bool {
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	why := logError.FindStringSubmatch(m[2])
	switch {
	case strings.Contains(m[2], " small=true"):
	case m[1] == `"stream error"` && why != nil:
		p.say(yellow, retrying+" ("+worded(strings.ReplaceAll(strings.TrimPrefix(why[1], "AI_APICallError: "), `\"`, `"`))+")")
	case why != nil:
		p.say(faint, oneLine(strings.Trim(m[1], `"`)+": "+why[1], longDetail))
	}
	return true
}

func (p *parts) Close() []byte { return p.close() }

// Final is what was said last.
func (p *parts) Final() string { return p.final }

// Usage is that of all steps.
func (p *parts) Usage() Usage { return p.used }

func (p *parts) event(e partsEvent) {
	switch e.Type {
	case "step_start":
		p.busy = true
	case "text":
		p.final, p.said = e.Part.Text, ""
		p.say("", e.Part.Text)
	case "reasoning":
		p.say(faint, oneLine(e.Part.Text, longDetail))
	case "tool_use":
		p.tool(e)
	case "step_finish":
		p.step(e)
	case "error":
		p.said = coded(e.Error.Data.StatusCode, e.Error.Data.Message)
		if e.Error.Data.StatusCode == 0 {
			p.said = strings.TrimSpace(e.Error.Name + " " + p.said)
		}
		p.say(red, "the session failed: "+p.said)
	}
}

// tool shows a call that is over: there is no event for its beginning.
func (p *parts) tool(e partsEvent) {
	s := e.Part.State
	detail := ""
	if !strings.HasPrefix(e.Part.Tool, "ferrus_") {
		detail = about(e.Part.Tool, s.Input)
	}
	done := call{name: e.Part.Tool, detail: detail}
	switch {
	case s.Status == "error":
		if s.Error == "" {
			s.Error = "no reason given"
		}
		p.end(done, s.Error, "")
	case s.Metadata.Exit != nil && *s.Metadata.Exit != 0:
		p.end(done, fmt.Sprint("exit ", *s.Metadata.Exit), "")
		p.tail(s.Output)
	default:
		p.end(done, "", said(s.Output))
	}
}

// step adds up what was used; the last one says it.
func (p *parts) step(e partsEvent) {
	if t := e.Part.Tokens; t != nil {
		p.used.Known = true
		p.used.Input = amount(p.used.Input + amount(t.Input) + amount(t.Cache.Read) + amount(t.Cache.Write))
		p.used.Cached, p.used.Output = amount(p.used.Cached+amount(t.Cache.Read)), amount(p.used.Output+amount(t.Output)+amount(t.Reasoning))
	}
	if c := e.Part.Cost; c != nil {
		p.used.Cost, p.used.Priced = min(max(p.used.Cost+*c, 0), plausible), true
	}
	if e.Part.Reason != "tool-calls" {
		p.busy = false
		p.say(faint, tokens(p.used.Input, p.used.Cached, p.used.Output))
	}
}
