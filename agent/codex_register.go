package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Registration puts both roles into the project's own configuration. Its calls
// are let through by the entry itself.
func (c codex) Registration(r Registered) Registration {
	s := r.server(c)
	body := []string{
		"command = " + quoted(s.Command),
		"args = " + strings.ReplaceAll(quoted(s.Args), `","`, `", "`),
		fmt.Sprintf("env = { FERRUS_PROJECT = %s, FERRUS_WAIT_SECS = %s }", quoted(s.Env["FERRUS_PROJECT"]), quoted(s.Env["FERRUS_WAIT_SECS"])),
		`default_tools_approval_mode = "approve"`,
		"startup_timeout_sec = 30",
		fmt.Sprint("tool_timeout_sec = ", endless),
	}
	edits := []Edit{
		{File: ".codex/config.toml", Kind: Table, Path: []string{"mcp_servers"}, Key: r.Server(), Value: strings.Join(body, "\n") + "\n"},
		r.instructions("AGENTS.md"),
	}
	return Registration{
		Edits: append(edits, ignoring(".codex/config.toml")...), Server: r.Server(),
		Start: c.Binary(), Alone: c.Binary() + " -c mcp_servers." + r.other() + ".enabled=false",
		Notes: []string{c.Binary() + " reads .codex/config.toml only in a folder that you trust; it asks when you start it there"},
	}
}

// table is the head of an entry that ferrus registered.
var table = regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?(ferrus-(?:supervisor|executor)-[0-9]+)"?[ \t]*\]`)

// registered are the entries of ferrus in the configuration that a session in the
// workspace would read: of every folder up to the root of the repository, and of
// the person. A launch switches them off, because it brings its own.
func (codex) registered(l Launch) []string {
	home := os.Getenv("CODEX_HOME")
	if home == "" {
		if user, err := os.UserHomeDir(); err == nil {
			home = filepath.Join(user, ".codex")
		}
	}
	files := []string{filepath.Join(home, "config.toml")}
	for dir := range above(l.Workspace) {
		files = append(files, filepath.Join(dir, ".codex", "config.toml"))
	}
	if l.Project != l.Workspace {
		files = append(files, filepath.Join(l.Project, ".codex", "config.toml"))
	}
	var names []string
	for _, file := range files {
		text, _ := os.ReadFile(file) // one that cannot be read registers nothing
		for _, found := range table.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// above yields a directory and those around it, up to the root of its repository.
func above(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir != "" && yield(dir) {
			if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
				return
			}
			dir = filepath.Dir(dir)
		}
	}
}

// Getting is how the program is installed.
func (codex) Getting() string { return "npm install -g @openai/codex" }
