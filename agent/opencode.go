package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() { register(opencode{}) }

// opencode takes a configuration from its environment, which is laid over the
// user's own; a rule that comes later in the order of the alphabet wins over one
// before. It hands its environment on to MCP servers, and with it the nonce.
type opencode struct{}

func (opencode) Name() string       { return "opencode" }
func (opencode) Binary() string     { return "opencode" }
func (opencode) WaitSecs() int      { return patience }
func (opencode) Renderer() Renderer { return newParts() }

func (opencode) reports() (tokens, cost bool) { return true, true }

func (opencode) helps() [][]string { return [][]string{{"--help"}, {"run", "--help"}} }

func (opencode) note() string { return "its own screen is not played in the end-to-end tests" }

// Getting is how the program is installed.
func (opencode) Getting() string { return "npm install -g opencode-ai" }

func (o opencode) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	var args []string
	if !l.Interactive {
		args = append(args, "run", "--format", "json")
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
	config := map[string]any{"permission": o.permissions(l)}
	if l.Alone {
		return config
	}
	entry := l.server(o)
	config["mcp"] = map[string]any{"ferrus": map[string]any{
		"type": "local", "enabled": true, "command": append([]string{entry.Command}, entry.Args...), "environment": entry.Env, "timeout": endless * 1000,
	}}
	return config
}

// permissions are the least that lets a role work. A headless session refuses what
// it would ask for.
func (opencode) permissions(l Launch) map[string]any {
	rules := map[string]any{"ferrus_*": "allow", "doom_loop": "allow"}
	switch {
	case l.Bypass:
	case l.Role == "executor":
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
	paper
	final string
	used  Usage
}

func newParts() Renderer { return &parts{} }

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
		Data struct{ Message string }
	}
}

func (p *parts) Render(line []byte) []byte {
	var e partsEvent
	if object(&p.paper, line, &e) {
		p.event(e)
	}
	return p.take()
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
		p.final = e.Part.Text
		p.say("", e.Part.Text)
	case "reasoning":
		p.say(faint, brief(e.Part.Text))
	case "tool_use":
		p.tool(e)
	case "step_finish":
		p.step(e)
	case "error":
		p.say(red, worded(strings.TrimSpace(e.Error.Name+" "+e.Error.Data.Message)))
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
