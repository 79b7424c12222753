package agent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// configuredServers returns the servers in configuration files of the usual form, in the
// workspace and its parents up to the root of the repository.
func configuredServers(l Launch, files ...string) []string {
	found := map[string]bool{}
	for dir := range parentDirs(l.Workspace) {
		for _, file := range files {
			var servers struct {
				All map[string]json.RawMessage `json:"mcpServers"`
			}
			text, _ := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))) // one that cannot be read has none
			_ = json.Unmarshal(text, &servers)
			for name := range servers.All {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// registeredServer matches the name of a server that ferrus registered.
var registeredServer = regexp.MustCompile(`^ferrus-(?:supervisor|executor)-[0-9]+$`)
