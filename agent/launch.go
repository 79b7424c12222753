package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// defaultWaitSecs is how long a tool call may wait if the client sets no shorter limit.
const defaultWaitSecs = 50

// permissionTool is the tool of ferrus's server that answers requests for permission.
const permissionTool = "request_permission"

// askTimeoutSecs is a time limit for a client that calls it: a human may answer after days.
const askTimeoutSecs = 7 * 24 * 3600

// noTimeoutSecs is a time limit for clients that no call of ferrus reaches.
const noTimeoutSecs = 3600

// validate refuses a launch that no adapter can execute.
func (l Launch) validate() error {
	switch {
	case l.Role == "" || l.Mode == "":
		return errors.New("build command line: no role or no mode")
	case !filepath.IsAbs(l.Ferrus) || !filepath.IsAbs(l.Project):
		return errors.New("build command line: the paths of ferrus and of the project must be absolute")
	case !l.Interactive && l.Prompt == "":
		return errors.New("build command line: a headless session needs a prompt")
	}
	return nil
}

// env returns the variables that every process of the session inherits. The nonce is nowhere
// else: every user can read a command line.
func (l Launch) env() []string {
	env := []string{"FERRUS_PROJECT=" + l.Project, marker + l.Nonce}
	if l.Task != "" {
		env = append(env, taskEnv+"="+l.Task)
	}
	if l.Door != "" {
		env = append(env, doorEnv+"="+l.Door)
	}
	if l.Reports != "" {
		env = append(env, usageVar+"="+filepath.Join(l.Reports, usageFileName))
	}
	if l.Reports != "" && l.Interactive {
		env = append(env, turnEndVar+"="+filepath.Join(l.Reports, turnEndFile))
	}
	return append(env, l.Env...)
}

// taskEnv names the task of a session that has a record of its own.
const taskEnv = "FERRUS_TASK"

// doorEnv is the variable that has ferrus serve look for its server outside the sandbox.
const doorEnv = "FERRUS_DOOR"

// Serve returns the arguments and the variables of the server of a session, for the host to
// start it outside the sandbox.
func (l Launch) Serve(a Adapter) (args, env []string) {
	l.Door = ""
	return append([]string{"serve"}, l.serveFlags(a)...), append(l.env(), "FERRUS_WAIT_SECS="+l.waitSecs(a))
}

// serveFlags returns the flags of ferrus serve for a session.
func (l Launch) serveFlags(a Adapter) []string {
	name := l.Name
	if name == "" {
		name = a.Name()
	}
	flags := []string{"--role", l.Role, "--mode", l.Mode, "--agent-name", name, "--agent-index", strconv.Itoa(l.Index)}
	if l.Ask {
		flags = append(flags, "--ask", l.asks())
	}
	return flags
}

// asks names what a session that asks for permission may do: read or edit.
func (l Launch) asks() string {
	if l.edits() {
		return "edit"
	}
	return "read"
}

// judges reports whether a session looks at what another one has changed. It takes no settings from there: a hook in
// them would run with the tools of this session.
func (l Launch) judges() bool {
	return !l.edits() && (l.Mode == "review" || l.Mode == "consult")
}

// edits reports whether a session is to change files.
func (l Launch) edits() bool { return l.Role == "executor" || l.CanEdit }

func (l Launch) waitSecs(a Adapter) string {
	if l.WaitSecs > 0 {
		return strconv.Itoa(l.WaitSecs)
	}
	return strconv.Itoa(a.WaitSecs())
}

// mcpServer configures the one MCP server that an agent sees, as most clients spell it. The
// last fields belong to single clients.
type mcpServer struct {
	Type        string            `json:"type,omitempty"`
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Timeout     int               `json:"timeout,omitempty"` // ms
	AlwaysLoad  bool              `json:"alwaysLoad,omitempty"`
	AlwaysTools bool              `json:"alwaysLoadTools,omitempty"`
	Trust       bool              `json:"trust,omitempty"`
	Tools       []string          `json:"tools,omitempty"`
}

// server returns the server of a session, for a client that passes its environment on.
func (l Launch) server(a Adapter) mcpServer {
	env := serverEnv(l.Project, l.waitSecs(a))
	if l.Task != "" {
		env[taskEnv] = l.Task
	}
	if l.Door != "" {
		env[doorEnv] = l.Door
	}
	return mcpServer{Command: l.Ferrus, Args: append([]string{"serve"}, l.serveFlags(a)...), Env: env}
}

// serverEnv returns the variables of a server. Some clients pass it nothing but these, so
// the directory where ferrus keeps what it knows of projects is among them.
func serverEnv(project, waitSecs string) map[string]string {
	env := map[string]string{"FERRUS_PROJECT": project, "FERRUS_WAIT_SECS": waitSecs}
	if state := os.Getenv("XDG_STATE_HOME"); state != "" {
		env["XDG_STATE_HOME"] = state
	}
	return env
}

// configJSON returns the configuration of MCP servers as one argument.
func (l Launch) configJSON(s mcpServer) string {
	servers := map[string]mcpServer{"ferrus": s}
	if l.NoServer {
		servers = map[string]mcpServer{}
	}
	return toJSON(map[string]map[string]mcpServer{"mcpServers": servers})
}

// ownTools returns the tools of the human's own servers, in the spelling of permissions: where the
// agent works by itself, no question can be asked.
func (l Launch) ownTools() (tools []string) {
	if l.OnlyFerrus {
		return nil
	}
	for _, name := range l.OwnServers {
		tools = append(tools, "mcp__"+strings.Map(toolRune, name))
	}
	return tools
}

// toolRune returns a letter of a server's name as names of tools have it.
func toolRune(r rune) rune {
	if r == '-' || r == '_' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return r
	}
	return '_'
}

// ferrusTools returns the tools of ferrus and others, in the spelling of permissions.
func (l Launch) ferrusTools(others ...string) []string {
	if l.NoServer {
		return others
	}
	return append([]string{"mcp__ferrus"}, others...)
}

// prefixTools rewrites a prompt for a client that puts another prefix before the names of
// ferrus's tools.
func prefixTools(prompt, prefix string) string {
	return strings.ReplaceAll(prompt, "mcp__ferrus__", prefix)
}

// toJSON returns JSON without escapes for browsers. A JSON string is a TOML string, too.
func toJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // strings, numbers and maps of them only
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
