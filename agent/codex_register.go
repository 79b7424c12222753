package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Registration puts both roles into the project's configuration. The entry itself allows its
// calls.
func (c codex) Registration(r Registered) Registration {
	s := r.server(c)
	body := []string{
		"command = " + toJSON(s.Command),
		"args = " + strings.ReplaceAll(toJSON(s.Args), `","`, `", "`),
		fmt.Sprintf("env = { FERRUS_PROJECT = %s, FERRUS_WAIT_SECS = %s }", toJSON(s.Env["FERRUS_PROJECT"]),
			toJSON(s.Env["FERRUS_WAIT_SECS"])),
		`default_tools_approval_mode = "approve"`,
		"startup_timeout_sec = 30",
		fmt.Sprint("tool_timeout_sec = ", noTimeoutSecs),
	}
	edits := []Edit{
		{File: ".codex/config.toml", Kind: Table, Path: []string{"mcp_servers"}, Key: r.Server(),
			Value: strings.Join(body, "\n") + "\n"},
		r.instructions("AGENTS.md"),
	}
	return Registration{
		Edits: append(edits, ignoreEdits(".codex/config.toml")...), Server: r.Server(),
		Start: c.Binary(), Alone: c.Binary() + " -c mcp_servers." + r.otherServer() + ".enabled=false",
		Notes: []string{c.Binary() +
			" reads .codex/config.toml only in a directory that you trust; it asks when you start it there"},
	}
}

// tableHead matches the head of an entry that ferrus registered.
var tableHead = lazyregexp.New(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*` +
	`"?(ferrus-(?:supervisor|executor)-[0-9]+)"?[ \t]*\]`)

// registeredServers returns the entries of ferrus in the configuration that a session in the
// workspace reads: of every directory up to the root of the repository, and your own. A
// launch disables them, because it brings its own.
func (codex) registeredServers(l Launch) []string {
	home := os.Getenv("CODEX_HOME")
	if home == "" {
		if user, err := os.UserHomeDir(); err == nil {
			home = filepath.Join(user, ".codex")
		}
	}
	files := []string{filepath.Join(home, "config.toml")}
	for dir := range parentDirs(l.Workspace) {
		files = append(files, filepath.Join(dir, ".codex", "config.toml"))
	}
	if l.Project != l.Workspace {
		files = append(files, filepath.Join(l.Project, ".codex", "config.toml"))
	}
	return serverNames(files, tableHead)
}

// Install returns the command that installs the program.
func (codex) Install() string { return "npm install -g @openai/codex" }
