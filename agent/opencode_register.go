package agent

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Registration puts both roles into a configuration below the client's own folder
// in the project, where comments are allowed. The client lets its calls through
// unless a rule of the person's own says otherwise.
func (o opencode) Registration(r Registered) Registration {
	const file = ".opencode/opencode.json"
	s := r.server(o)
	entry := map[string]any{
		"type": "local", "enabled": true, "command": append([]string{s.Command}, s.Args...), "environment": s.Env, "timeout": endless * 1000,
	}
	edits := []Edit{
		{File: file, Kind: Member, Path: []string{"mcp"}, Key: r.Server(), Value: quoted(entry), Comments: true},
		r.instructions("AGENTS.md"),
	}
	without := quoted(map[string]any{"mcp": map[string]any{r.other(): map[string]bool{"enabled": false}}})
	return Registration{
		Edits: append(edits, ignoring(file)...), Server: r.Server(),
		Start: o.Binary(), Alone: "OPENCODE_CONFIG_CONTENT='" + without + "' " + o.Binary(),
	}
}

// entry is the key of what ferrus registered, in a configuration.
var entry = regexp.MustCompile(`"(ferrus-(?:supervisor|executor)-[0-9]+)"[ \t\r\n]*:`)

// registered are the entries of ferrus in the configurations that a session in the
// workspace would read. A launch switches them off, because it brings its own.
func (opencode) registered(l Launch) []string {
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
	for dir := range above(l.Workspace) {
		in(dir)
		in(filepath.Join(dir, ".opencode"))
	}
	var names []string
	for _, file := range files {
		text, _ := os.ReadFile(file) // one that cannot be read registers nothing
		for _, found := range entry.FindAllSubmatch(text, -1) {
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Getting is how the program is installed.
func (opencode) Getting() string { return "npm install -g opencode-ai" }
