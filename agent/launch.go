package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// patience is how long one tool call may wait where a client sets no shorter
// limit.
const patience = 50

// endless is a limit of a client, in seconds, that no call of ferrus reaches.
const endless = 3600

// check refuses a launch that no adapter can word.
func (l Launch) check() error {
	switch {
	case l.Role == "" || l.Mode == "":
		return errors.New("word command line: no role or no mode")
	case !filepath.IsAbs(l.Ferrus) || !filepath.IsAbs(l.Project):
		return errors.New("word command line: the paths of ferrus and of the project must be absolute")
	case !l.Interactive && l.Prompt == "":
		return errors.New("word command line: a headless session needs a prompt")
	}
	return nil
}

// env is what every process of the session inherits. The nonce is nowhere else:
// a command line can be read by everybody.
func (l Launch) env() []string {
	return []string{"FERRUS_PROJECT=" + l.Project, marker + l.Nonce}
}

// flags name a session to the ferrus binary.
func (l Launch) flags(a Adapter) []string {
	name := l.Name
	if name == "" {
		name = a.Name()
	}
	return []string{"--role", l.Role, "--mode", l.Mode, "--agent-name", name, "--agent-index", strconv.Itoa(l.Index)}
}

func (l Launch) wait(a Adapter) string {
	if l.WaitSecs > 0 {
		return strconv.Itoa(l.WaitSecs)
	}
	return strconv.Itoa(a.WaitSecs())
}

// server is the one MCP server that an agent sees, as most clients spell it.
// Fields of single clients are left out by the others.
type server struct {
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

// server words ferrus itself for a client that hands its environment on.
func (l Launch) server(a Adapter) server {
	return server{
		Command: l.Ferrus,
		Args:    append([]string{"serve"}, l.flags(a)...),
		Env:     map[string]string{"FERRUS_PROJECT": l.Project, "FERRUS_WAIT_SECS": l.wait(a)},
	}
}

// inline is the configuration file of MCP servers, as one argument.
func (l Launch) inline(s server) string {
	servers := map[string]server{"ferrus": s}
	if l.NoServer {
		servers = map[string]server{}
	}
	return quoted(map[string]map[string]server{"mcpServers": servers})
}

// ours names the tools of ferrus before others, where there are any.
func (l Launch) ours(others ...string) []string {
	if l.NoServer {
		return others
	}
	return append([]string{"mcp__ferrus"}, others...)
}

// renamed is a prompt for a client that puts something else before the names of
// the tools of ferrus.
func renamed(prompt, prefix string) string {
	return strings.ReplaceAll(prompt, "mcp__ferrus__", prefix)
}

// quoted is JSON as people write it, without escapes for browsers. A JSON string
// is a TOML string too.
func quoted(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // strings, numbers and maps of them only
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
