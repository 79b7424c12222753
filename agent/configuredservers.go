package agent

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ferrus/ui/text/lazyregexp"
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
			// One that cannot be read has none.
			_ = json.Unmarshal(readBounded(filepath.Join(dir, filepath.FromSlash(file))), &servers)
			for name := range servers.All {
				found[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// registeredServer matches the name of a server that ferrus registered.
var registeredServer = lazyregexp.New(`^ferrus-(?:supervisor|executor)-[0-9]+$`)

// serverNames returns the names of servers in files, by a pattern whose group they match.
func serverNames(files []string, pattern *lazyregexp.Regexp) (names []string) {
	for _, file := range files {
		for _, found := range pattern.FindAllSubmatch(readBounded(file), -1) { // an unreadable file registers nothing
			names = append(names, string(found[1]))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parentDirs yields a directory and its parents, up to the root of its repository.
func parentDirs(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir != "" && yield(dir) {
			if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || filepath.Dir(dir) == dir {
				return
			}
			dir = filepath.Dir(dir)
		}
	}
}
