package agent

import (
	"os"
	"path/filepath"

	"ferrus/ui/text/lazyregexp"
)

// Registration puts both roles into a configuration in the client's own directory of the
// project, where comments are allowed. The client allows the calls unless your rule
// says otherwise.
func (o opencode) Registration(r Registered) Registration {
	const file = ".opencode/opencode.json"
	s := r.server(o)
	entry := map[string]any{
		"type": "local", "enabled": true, "command": append([]string{s.Command}, s.Args...), "environment": s.Env,
		"timeout": noTimeoutSecs * 1000,
	}
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcp"}, Key: r.Server(), Value: toJSON(entry), Comments: true},
		r.instructions("AGENTS.md"),
	}
	without := toJSON(map[string]any{"mcp": map[string]any{r.otherServer(): map[string]bool{"enabled": false}}})
	return Registration{
		Edits: append(edits, ignoreEdits(file)...), Server: r.Server(),
		Start: o.Binary(), Alone: "OPENCODE_CONFIG_CONTENT='" + without + "' " + o.Binary(),
	}
}

// entryKey matches the key of an entry that ferrus registered.
var entryKey = lazyregexp.New(`"(ferrus-(?:supervisor|executor)-[0-9]+)"[ \t\r\n]*:`)

// registeredServers returns the entries of ferrus in the configurations that a session in the
// workspace reads. A launch disables them, because it brings its own.
func (opencode) registeredServers(l Launch) []string {
	var files []string
	in := func(dir string) {
		for _, name := range []string{"opencode.json", "opencode.jsonc"} {
			files = append(files, filepath.Join(dir, name))
		}
	}
	if config, err := os.UserConfigDir(); err == nil {
		in(filepath.Join(config, "opencode"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		in(filepath.Join(home, ".config", "opencode"))
	}
	for dir := range parentDirs(l.Workspace) {
		in(dir)
		in(filepath.Join(dir, ".opencode"))
	}
	return serverNames(files, entryKey)
}

// Install returns the command that installs the program.
func (opencode) Install() string { return "npm install -g opencode-ai" }
