package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// widening says for every key whether its value is run, or gives agents more than the
// default does: then a repository may set it only with the human's trust. The commands of
// checks and setup are trusted for themselves.
var widening = map[string]bool{
	"agent.*.command": true, "agent.*.interactive_command": true, "agent.*.acp": true,
	"hq.supervisor.permissions": true, "hq.executor.permissions": true, "hq.unattended": true,
	"hq.on_need": true, "hq.clone": true,
	"sandbox.mode": true, "sandbox.network": true, "sandbox.hosts": true, "sandbox.ports": true,
	"sandbox.write": true, "sandbox.read": true, "sandbox.sockets": true,
	"sandbox.devices": true, "checks.network": true, "checks.setup_network": true,
	"checks.protect": true, "checks.allow_none": true, "workflow.publish": true,
	"merge.auto": true, "merge.follow": true, "merge.union": true, "merge.gate": true,
	"worker.*.ssh": true, "workers.nats": true, "workers.creds": true, "workers.ca": true,
	"workers.join": true,
	"merge.hooks":  true, "merge.mode": true, "merge.publish": true,
}

// narrow are values that give agents less than the default.
var narrow = map[string]string{"hq.supervisor.permissions": `"ask"`, "hq.executor.permissions": `"ask"`}

// widens returns what a valid ferrus.toml makes run, or allows, beside the commands of checks
// and setup: one line for each key that differs from its default, in its order.
func widens(data []byte) []string {
	tree := map[string]any{}
	if toml.Unmarshal(data, &tree) != nil {
		return nil // it was parsed before
	}
	doc := &document{data: data, lines: keyLines(data)}
	var lines []string
	for _, s := range doc.settings(tree) {
		for _, k := range schema {
			if _, ok := matchKey(k.Name, s.path); !ok || !widening[k.Name] {
				continue
			}
			value, err := json.Marshal(s.value)
			if err != nil || string(value) == k.Default || string(value) == narrow[k.Name] {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s = %s", strings.Join(s.path, "."), value))
		}
	}
	slices.Sort(lines)
	return lines
}
