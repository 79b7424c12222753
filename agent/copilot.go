package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ferrus/agent/home"
	"ferrus/ui/text/lazyregexp"
)

func init() { register(copilot{}) }

// copilot is GitHub Copilot CLI. Its flags with several values take what follows them, so each
// value is attached to its flag. It also uses the servers that you have configured: no flag
// disables all of them. It asks by the Agent Client Protocol only, and takes ferrus's server from
// its command line there, too: it ignores servers on standard streams that the protocol names.
type copilot struct{}

func (copilot) Name() string   { return "copilot" }
func (copilot) Binary() string { return "copilot" }
func (copilot) WaitSecs() int  { return defaultWaitSecs }
func (c copilot) Renderer() Renderer {
	return &copilotRenderer{sessionFailure: sessionFailure{patterns: c.limitPatterns()}}
}

func (copilot) reportsUsage() (tokens, cost bool) { return true, false }

// models returns the aliases of --model.
func (copilot) models() []string { return []string{"auto"} }

// limitPatterns has the sentences of GitHub's service and of other providers.
func (copilot) limitPatterns() limitPatterns {
	return limitPatterns{
		says: []string{"ve hit your ", "ve hit the rate limit", "ve reached your ", "ve run out of your ",
			"rate limit", "quota exceeded"},
		then: []string{"try again in ", "try again at ", "to reset in ", "to reset at ", "resets in ", "resets at ",
			"resets on ", "retry after "},
	}
}

func (copilot) troublePatterns() []troublePattern {
	return []troublePattern{
		{signedOut, "run `copilot login` in a terminal, or set the key of its provider",
			[]string{"no authentication information", "session failed: 401", "transient_auth_error",
				"you are not logged in"}},
		{forbidden, fixForbidden, []string{"session failed: 403"}},
		{spent, fixSpent,
			[]string{"session failed: 402", "session failed: 429", "not answer (rate_limit", "ve hit your ",
				"ve hit the rate limit", "ve reached your ", "ve run out of your ", "no remaining quota"}},
		{refusing, fixRefusing, []string{"permission denied", "the user rejected this tool call"}},
		{asking, "answer it in its pane; \"Yes, and remember this folder\" answers it for good",
			[]string{"confirm folder trust"}},
	}
}

func (c copilot) Invoke(l Launch) (Invocation, error) {
	if err := l.validate(); err != nil {
		return Invocation{}, err
	}
	var args []string
	switch prompt := prefixTools(l.Prompt, c.toolPrefix()); {
	case l.Ask:
		args = append(args, "--acp")
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
		entry.Type, entry.Timeout, entry.Tools = "local", noTimeoutSecs*1000, []string{"*"}
		args = append(args, "--additional-mcp-config="+l.configJSON(entry))
	}
	for _, name := range configuredServers(l, ".mcp.json", ".github/mcp.json") {
		if registeredServer.MatchString(name) {
			args = append(args, "--disable-mcp-server="+name)
		}
	}
	if l.OnlyFerrus {
		for _, name := range l.OwnServers {
			args = append(args, "--disable-mcp-server="+name)
		}
	}
	if l.Conversation != "" && !l.Ask {
		args = append(args, "--resume="+l.Conversation)
	}
	args = append(args, "--disable-builtin-mcps", "--no-auto-update")
	args = append(args, c.permissions(l)...)
	if l.Ask { // a session that prints events refuses what it would ask for
		command := append([]string{c.Binary()}, args...)
		return l.invokeProtocol(c, prefixTools(l.Prompt, c.toolPrefix()), "", command), nil
	}
	if !l.Interactive {
		args = append(args, "--no-ask-user", "--output-format=json")
	}
	inv := Invocation{Path: c.Binary(), Args: args, Env: l.env(), Headless: !l.Interactive}
	if inv.Headless {
		inv.UsageFlag = "--usage-output-file="
	}
	return inv, nil
}

// cumulativeUsage: by the protocol it reports the tokens of all turns with each.
func (copilot) cumulativeUsage() bool { return true }

// toolPrefix is before the names of the tools of ferrus.
func (copilot) toolPrefix() string { return "ferrus-" }

// copilotError is a message of its own about a turn that failed, with the status of the server's answer.
var copilotError = lazyregexp.New(`^(?:Info: Request failed[^\n]{0,80}?\.\.\.)*Error: (?s:(?:` +
	`(Authentication failed with provider at .{0,300}?\(HTTP (\d{3})\).*)|` +
	`(?:Failed to get response from the AI model; .{0,300}?Last error: )?((\d{3}) .*)))$`)

// failureIn reads the failure of a turn in its last message: by the protocol the program has no other way to tell
// it, and ends the turn as one that went well.
func (copilot) failureIn(message string) (why string, failed bool) {
	m := copilotError.FindStringSubmatch(strings.TrimSpace(message))
	if m == nil {
		return "", false
	}
	status, _ := strconv.Atoi(m[2] + m[4]) // three digits
	return withStatus(status, m[1]+m[3]), true
}

// permissions returns the least that lets a role work. The program itself allows what only
// reads.
func (copilot) permissions(l Launch) []string {
	if l.Bypass {
		return []string{"--allow-all"}
	}
	allowed := []string{"shell(git status)", "shell(git diff)", "shell(git log)", "shell(git show)"}
	switch edits := l.edits(); {
	case edits && l.Ask:
		allowed = append(allowed, "write")
	case edits:
		allowed = []string{"write", "shell"}
	}
	if !l.NoServer {
		allowed = append([]string{"ferrus"}, allowed...)
	}
	return strings.Split("--allow-tool="+strings.Join(allowed, "\n--allow-tool="), "\n")
}

// copilotRenderer renders the events of Copilot CLI: messages, tool calls with their ends,
// errors, and one result. The usage of all models comes in a file at the end.
type copilotRenderer struct {
	transcriptWriter
	sessionFailure
	final string
	used  Usage
}

type copilotEvent struct {
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
			In     int `json:"inputTokens"` // including cached tokens
			Out    int `json:"outputTokens"`
			Cached int `json:"cacheReadTokens"`
		}
	} `json:"modelMetrics"`
}

func (c *copilotRenderer) Render(line []byte) []byte {
	var e copilotEvent
	if parseObject(&c.transcriptWriter, line, &e) {
		c.event(e)
	}
	return c.flush()
}

func (c *copilotRenderer) Close() []byte { return c.close() }

// Final returns the last message that is not empty.
func (c *copilotRenderer) Final() string { return c.final }

// Usage returns the usage of all models.
func (c *copilotRenderer) Usage() Usage { return c.used }

func (c *copilotRenderer) event(e copilotEvent) {
	d := e.Data
	if len(e.Models) > 0 {
		c.addUsage(e)
	}
	switch e.Type {
	case "assistant.turn_start":
		c.busy = true
	case "assistant.turn_retry":
		c.say(yellow, retrying+" ("+d.Reason+")")
	case "assistant.message":
		c.message = ""
		if d.Content != "" {
			c.final = d.Content
			c.say("", d.Content)
		}
	case "tool.execution_start":
		c.startCall(call{d.ID, d.Tool, c.about(d.Tool, d.Arguments)})
	case "tool.execution_complete":
		c.toolEnded(e)
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
		c.message = withStatus(d.StatusCode, last)
		c.say(red, "the session failed: "+c.message)
	default:
		if strings.HasSuffix(e.Type, "error") {
			c.say(red, unwrapMessage(d.Message)+errorText(d.Error))
		}
	}
}

// addUsage adds up the usage of all models.
func (c *copilotRenderer) addUsage(e copilotEvent) {
	c.used = Usage{Known: true}
	for _, m := range e.Models {
		c.used.add(m.Usage.In, m.Usage.Cached, m.Usage.Out)
	}
	c.say(faint, formatTokens(c.used.Input, c.used.Cached, c.used.Output))
}

// about returns what a call is about; calls of ferrus's tools are shown elsewhere.
func (*copilotRenderer) about(name string, input json.RawMessage) string {
	if strings.HasPrefix(name, "ferrus-") {
		return ""
	}
	return callSubject(name, input)
}

func (c *copilotRenderer) toolEnded(e copilotEvent) {
	d := e.Data
	done := call{id: d.ID, name: "tool"}
	if d.Success {
		c.endCall(done, "", embeddedStatus(d.Result.Content))
		return
	}
	fault := cmp.Or(errorText(d.Error), d.Result.Content, "no reason given")
	c.endCall(done, fault, "")
}

// embeddedStatus returns the status in the result of a ferrus tool, if the client has put
// text and data into one string.
func embeddedStatus(text string) string {
	_, data, found := strings.Cut(text, "{\"status\":")
	var status string
	if found {
		_ = json.NewDecoder(strings.NewReader(data)).Decode(&status) // other data has no status
	}
	return status
}

// home returns what of your home a session gets. Its login is in a keychain, in a
// variable, or among its settings, which never return.
func (copilot) home() home.List {
	return home.List{Tried: true, Unfit: copilotLogin(), Dirs: []home.Dir{{
		Variable: "COPILOT_HOME", Default: ".copilot",
		Copy: []string{"config.json", "settings.json", "mcp-config.json", "lsp-config.json",
			"permissions-config.json", "copilot-instructions.md", "instructions", "agents", "skills", "prompts",
			"hooks", "extensions", "*.sh", "*.py", "*.js", "*.mjs"},
		Show: []string{"installed-plugins"},
	}, sharedSkills}}
}

// copilotVariables can hold a login, or name another provider.
var copilotVariables = []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"}

// copilotToken matches a login in its settings, where it is without a keychain.
var copilotToken = lazyregexp.New(`(?i)"[a-z_]*tokens?"\s*:\s*["{\[]`)

// copilotLogin returns why a session inside would be signed out; empty: its login is where a session
// finds it.
func copilotLogin() string {
	if slices.ContainsFunc(copilotVariables, func(name string) bool { return os.Getenv(name) != "" }) {
		return ""
	}
	home, _ := os.UserHomeDir() // Without one the variable counts.
	dir := cmp.Or(os.Getenv("COPILOT_HOME"), filepath.Join(home, ".copilot"))
	if copilotToken.MatchString(settings(filepath.Join(dir, "config.json"))) {
		return ""
	}
	return "its login is in a keychain, if there is one: set COPILOT_GITHUB_TOKEN to run it inside"
}

// workspaceSettings are where it looks for settings in the directory that it works in.
func (copilot) workspaceSettings() []string {
	return []string{".github/hooks", ".github/copilot", ".github/mcp.json", ".vscode/mcp.json", ".mcp.json"}
}

// hosts are of the model and of logins.
func (copilot) hosts() []string {
	return []string{
		"github.com", "api.github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com",
	}
}
