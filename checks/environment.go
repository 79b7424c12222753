package checks

import (
	"strings"
)

// markerName is the variable that every process of a run carries.
const markerName = "FERRUS_GATE"

// markers separates the marks of runs inside runs: a check command may itself
// run checks, and the outer run must find those processes too.
const markers = ":"

// environment returns base without what check commands must not see: ferrus's own
// variables, which would let them act as an agent, except the task's name and ports; keys that
// cost money, and folders of PATH that move with the command.
func environment(base []string, dir, marker string) []string {
	env := make([]string, 0, len(base)+2)
	for _, entry := range base {
		name, value, _ := strings.Cut(entry, "=")
		if name == markerName && value != "" {
			marker = value + markers + marker
		}
		if name == "PATH" {
			entry = "PATH=" + absolute(value)
		}
		if !secret(name) && name != "PWD" {
			env = append(env, entry)
		}
	}
	return append(env, "PWD="+dir, markerName+"="+marker)
}

func secret(name string) bool {
	own := strings.HasPrefix(name, "FERRUS_") && name != "FERRUS_TASK" && name != "FERRUS_PORT"
	return own || strings.HasSuffix(name, "_API_KEY") ||
		strings.HasSuffix(name, "_AUTH_TOKEN")
}
