package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

func init() { register(copilot{}) }

// copilot is GitHub Copilot CLI. Its options of several values eat what follows
// them, so each value is put to its option. Servers that its user has configured
// are seen besides ours: no option leaves all of them out.
type copilot struct{}

func (copilot) Name() string         { return "copilot" }
func (copilot) Binary() string       { return "copilot" }
func (copilot) WaitSecs() int        { return patience }
func (c copilot) Renderer() Renderer { return &chat{fault: fault{allowance: c.allowance()}} }

func (copilot) reports() (tokens, cost bool) { return true, false }

// models are the aliases of its --model.
func (copilot) models() []string { return []string{"auto"} }

func (copilot) note() string {
	return "the servers that its user configured are seen besides that of ferrus; on its own screen it asks whether the folder is trusted, until you let it remember that"
}

// allowance is what its own service says, and what those of other providers do.
func (copilot) allowance() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your ", "ve hit the rate limit", "ve reached your ", "ve run out of your ", "rate limit", "quota exceeded"},
		then: []string{"try again in ", "try again at ", "to reset in ", "to reset at ", "resets in ", "resets at ", "resets on ", "retry after "},
	}
}

func (copilot) symptoms() []troublePattern {
	return []troublePattern{
		{signedOut, "run `copilot login` in a terminal, or set the key of its provider", []string{"no authentication information", "session failed: 401", "transient_auth_error", "you are not logged in"}},
		{forbidden, mendForbidden, []string{"session failed: 403"}},
		{spent, mendSpent, []string{"session failed: 402", "session failed: 429", "not answer (rate_limit", "ve hit your ", "ve hit the rate limit", "ve reached your ", "ve run out of your ", "no remaining quota"}},
		{refusing, mendRefusing, []string{"permission denied", "the user rejected this tool call"}},
		{asking, "answer it in its pane; \"Yes, and remember this folder\" answers it for good", []string{"confirm folder trust"}},
	}
}

func (c copilot) Invoke(l Launch) (Invocation, error) {
	if err := l.check(); err != nil {
		return Invocation{}, err
	}
	var args []string
	switch prompt := renamed(l.Prompt, "ferrus-"); {
	case !l.Interactive:
		args = append(args, "-p", prompt)
	case l.Prompt != "":
		args = append(args, "-i", prompt)
	}
	if l.Model != "" {
		args = append(args, "--model="+l.Model)
	}
	if !l.NoServer {
		entry := l.server(c)
		entry.Type, entry.Timeout, entry.Tools = "local", endless*1000, []string{"*"}
		args = append(args, "--additional-mcp-config="+l.inline(entry))
	}
	for _, name := range listed(l, ".mcp.json", ".github/mcp.json") {
		if byUs.MatchString(name) {
			args = append(args, "--disable-mcp-server="+name)
		}
	}
	args = append(args, "--disable-builtin-mcps", "--no-auto-update")
	args = append(args, c.permissions(l)...)
	if !l.Interactive {
		args = append(args, "--no-ask-user", "--output-format=json")
	}
	inv := Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}
	if inv.Headless {
		inv.Account = "--usage-output-file="
	}
	return inv, nil
}

// permissions are the least that lets a role work. What only reads is let through
// by the program itself.
func (copilot) permissions(l Launch) []string {
	if l.Bypass {
		return []string{"--allow-all"}
	}
	allowed := []string{"shell(git status)", "shell(git diff)", "shell(git log)", "shell(git show)"}
	if l.Role == "executor" || l.CanEdit {
		allowed = []string{"write", "shell"}
	}
	if !l.NoServer {
		allowed = append([]string{"ferrus"}, allowed...)
	}
	return strings.Split("--allow-tool="+strings.Join(allowed, "\n--allow-tool="), "\n")
}

// chat renders the events of Copilot CLI: whole messages, calls of tools with their
// ends, errors, and one result.
// At its end it leaves an account of all models.
type chat struct {
	transcriptWriter
	fault
	final string
	used  Usage
}

type chatEvent struct {
	Type string
	Data struct {
		Content, Message string
		Reason           string
		StatusCode       int
		ID               string `json:"toolCallId"`
		Tool             string `json:"toolName"`
		Server           string `json:"serverName"`
		Status           string
		Arguments        json.RawMessage
		Success          bool
		Error            json.RawMessage
		Result           struct{ Content string }
	}
	Session string `json:"sessionId"`
	Exit    int    `json:"exitCode"`
	Models  map[string]struct {
		Usage struct {
			In     int `json:"inputTokens"` // with what is cached
			Out    int `json:"outputTokens"`
			Cached int `json:"cacheReadTokens"`
		}
	} `json:"modelMetrics"`
}

func (c *chat) Render(line []byte) []byte {
	var e chatEvent
	if object(&c.transcriptWriter, line, &e) {
		c.event(e)
	}
	return c.take()
}

func (c *chat) Close() []byte { return c.close() }

// Final is the newest message that said something.
func (c *chat) Final() string { return c.final }

// Usage is that of the account.
func (c *chat) Usage() Usage { return c.used }

func (c *chat) event(e chatEvent) {
	d := e.Data
	if len(e.Models) > 0 {
		c.account(e)
	}
	switch e.Type {
	case "assistant.turn_start":
		c.busy = true
	case "assistant.turn_retry":
		c.say(yellow, retrying+" ("+d.Reason+")")
	case "assistant.message":
		c.said = ""
		if d.Content != "" {
			c.final = d.Content
			c.say("", d.Content)
		}
	case "tool.execution_start":
		c.begin(call{d.ID, d.Tool, c.about(d.Tool, d.Arguments)})
	case "tool.execution_complete":
		c.ended(e)
	case "session.mcp_server_status_changed":
		if d.Status == "failed" {
			c.say(red, "the MCP server "+d.Server+" did not start")
		}
	case "result":
		c.busy = false
		c.say(faint, "session "+e.Session)
		if e.Exit != 0 {
			c.say(red, fmt.Sprintf("the session failed: exit %d", e.Exit))
		}
	case "session.error":
		_, last, found := strings.Cut(d.Message, "Last error: ")
		if !found {
			last = d.Message
		}
		c.said = coded(d.StatusCode, last)
		c.say(red, "the session failed: "+c.said)
	default:
		if strings.HasSuffix(e.Type, "error") {
			c.say(red, worded(d.Message)+failure(d.Error))
		}
	}
}

// account adds up what each model used.
func (c *chat) account(e chatEvent) {
	c.used = Usage{Known: true}
	for _, m := range e.Models {
		c.used.Input, c.used.Output = amount(c.used.Input+amount(m.Usage.In)), amount(c.used.Output+amount(m.Usage.Out))
		c.used.Cached = amount(c.used.Cached + amount(m.Usage.Cached))
	}
	c.say(faint, tokens(c.used.Input, c.used.Cached, c.used.Output))
}

// about leaves out what ferrus is told, which is shown elsewhere.
func (*chat) about(name string, input json.RawMessage) string {
	if strings.HasPrefix(name, "ferrus-") {
		return ""
	}
	return about(name, input)
}

func (c *chat) ended(e chatEvent) {
	d := e.Data
	done := call{id: d.ID, name: "tool"}
	if d.Success {
		c.end(done, "", said(d.Result.Content))
		return
	}
	fault := failure(d.Error)
	if fault == "" {
		fault = d.Result.Content
	}
	if fault == "" {
		fault = "no reason given"
	}
	c.end(done, fault, "")
}

// said is the status in what a tool of ferrus answered, where a client has put its
// words and its data into one text.
func said(text string) string {
	_, data, found := strings.Cut(text, "{\"status\":")
	var status string
	if found {
		_ = json.NewDecoder(strings.NewReader(data)).Decode(&status) // of another shape: none
	}
	return status
}
