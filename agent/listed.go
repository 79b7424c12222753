package agent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// listed are the servers that files of the usual shape name, in the workspace and the
// folders around it, up to the root of its repository.
func listed(l Launch, files ...string) []string {
	found := map[string]bool{}
	for dir := range above(l.Workspace) {
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

// byUs is the name of a server that ferrus registered.
var byUs = regexp.MustCompile(`^ferrus-(?:supervisor|executor)-[0-9]+$`)
