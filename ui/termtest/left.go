package termtest

import (
	"ferrus/agent/process"
	"fmt"
)

// ProcessIn names a process that works in a directory or below it; empty: there
// is none, no directory is named, or the system does not tell.
func ProcessIn(dir string) string {
	if dir == "" {
		return ""
	}
	all, _ := process.WorkingIn(dir)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

func quoted(words []string) (all []string) {
	for _, w := range words {
		all = append(all, fmt.Sprintf("%q", w))
	}
	return all
}
