package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// widening says of every key whether its value is run, or gives agents more than they have
// without it: then a repository may set it only with the human's trust. The commands of
// checks and setup are trusted for themselves.
var widening = map[string]bool{
	"agent.*.command": true, "agent.*.interactive_command": true,
	"hq.supervisor.permissions": true, "hq.executor.permissions": true, "hq.unattended": true,
	"checks.protect": true, "checks.allow_none": true, "workflow.publish": true,
}

// Widening returns what ferrus.toml of a directory makes run, or allows, beside the commands
// of checks and setup: one line for each key that differs from its default, in its order.
// A file that cannot be read widens nothing, because it is not used.
func Widening(dir string) []string {
	data, err := readFile(dir)
	tree := map[string]any{}
	if err != nil || toml.Unmarshal(data, &tree) != nil || checkNames(data, tree, 0) != nil {
		return nil
	}
	doc := &document{data: data, lines: keyLines(data)}
	var lines []string
	for _, s := range doc.settings(tree) {
		for _, k := range schema {
			if _, ok := matchKey(k.Name, s.path); !ok || !widening[k.Name] {
				continue
			}
			value, err := json.Marshal(s.value)
			if err != nil || string(value) == k.Default {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s = %s", strings.Join(s.path, "."), value))
		}
	}
	slices.Sort(lines)
	return lines
}
