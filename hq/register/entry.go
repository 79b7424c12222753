package register

import (
	"encoding/json"
	"reflect"

	"github.com/tailscale/hujson"
)

// entry is what matters of an MCP server; the rest is yours to tune.
type entry struct {
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
}

// sameEntry compares what matters of a value with an entry of ours.
func sameEntry(v *hujson.Value, text string) bool {
	var x, y entry
	return decodeValue(v, &x) && json.Unmarshal([]byte(text), &y) == nil && reflect.DeepEqual(x, y)
}

// serves reports whether an entry starts ferrus for a role of an agent.
func (e entry) serves(role, name string) bool {
	flags := map[string]string{}
	for i := 0; i+1 < len(e.Args); i++ {
		flags[e.Args[i]] = e.Args[i+1]
	}
	return len(e.Args) > 0 && e.Args[0] == "serve" && flags["--role"] == role && flags["--agent-name"] == name
}
