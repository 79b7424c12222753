package agent

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// OwnServer is an MCP server that your own settings of a client name.
type OwnServer struct {
	Name    string
	Command []string // the program that it is, with its arguments; empty: it is at URL
	URL     string
}

// serverTables are the names that clients have for the table of MCP servers.
var serverTables = []string{"mcpServers", "mcp_servers", "mcp"}

// OwnServers returns the MCP servers that your own settings of an agent name and do not disable,
// without the servers that ferrus registered.
func OwnServers(a Adapter, home string) (all []OwnServer) {
	for _, file := range settingsFiles(a, home) {
		tree := settingsTree(file)
		for _, table := range serverTables {
			servers, _ := tree[table].(map[string]any) // another value has none
			for _, name := range slices.Sorted(maps.Keys(servers)) {
				entry, ok := servers[name].(map[string]any)
				if !ok || entry["enabled"] == false || entry["disabled"] == true || registeredServer.MatchString(name) {
					continue
				}
				s := OwnServer{Name: name, Command: append(words(entry["command"]), words(entry["args"])...)}
				for _, key := range []string{"url", "httpUrl", "serverUrl"} {
					if text, ok := entry[key].(string); ok {
						s.URL = text
					}
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// settingsTree returns what a file of settings says; nil if it is none.
func settingsTree(file string) (tree map[string]any) {
	text := []byte(settings(file))
	switch filepath.Ext(file) {
	case ".toml":
		_ = toml.Unmarshal(text, &tree) // one that cannot be read names no server
	case ".json", ".jsonc":
		if plain, err := hujson.Standardize(text); err == nil {
			_ = json.Unmarshal(plain, &tree) // the same
		}
	}
	return tree
}

// words returns a text, or a list of texts.
func words(value any) (all []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// missingInside says which of your own MCP servers cannot run where a program sees only some of
// your files, and what each lacks. A server whose program is not there at all is not among them.
func missingInside(servers []OwnServer, shows func(path string) bool) (all []string) {
	for _, s := range servers {
		if len(s.Command) == 0 {
			continue
		}
		program, err := exec.LookPath(s.Command[0])
		if err != nil {
			continue
		}
		if name := filepath.Base(program); name == "docker" || name == "podman" {
			all = append(all, s.Name+" (needs the socket of "+name+")")
			continue
		}
		for _, path := range append([]string{program}, s.Command[1:]...) {
			real, err := filepath.EvalSymlinks(path)
			if filepath.IsAbs(path) && err == nil && !(shows(path) && shows(real)) {
				all = append(all, s.Name+" (needs "+path+")")
				break
			}
		}
	}
	return all
}
