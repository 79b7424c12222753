package register

import (
	"encoding/json"
	"reflect"

	"github.com/tailscale/hujson"
)

// entry has the fields of an MCP server that matter; the others are yours to tune.
type entry struct {
	Command string            `json:"command" toml:"command"`
	Args    []string          `json:"args" toml:"args"`
	Env     map[string]string `json:"env" toml:"env"`
}

// sameEntry reports whether a value has the same fields that matter as our entry.
func sameEntry(v *hujson.Value, text string) bool {
	var x, y entry
	return decodeValue(v, &x) && json.Unmarshal([]byte(text), &y) == nil && reflect.DeepEqual(x, y)
}

// startsFerrus reports whether an entry starts ferrus for a role and an agent.
func (e entry) startsFerrus(role, name string) bool {
	flags := map[string]string{}
	for i := 0; i+1 < len(e.Args); i++ {
		flags[e.Args[i]] = e.Args[i+1]
	}
	return len(e.Args) > 0 && e.Args[0] == "serve" && flags["--role"] == role && flags["--agent-name"] == name
}
