package termtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ProcessIn names a process that works in a directory or below it; empty: there
// is none, no directory is named, or the system does not tell.
func ProcessIn(dir string) string {
	if dir == "" {
		return ""
	}
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			return filepath.Dir(link) + " " + string(bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	return ""
}

func quoted(words []string) (all []string) {
	for _, w := range words {
		all = append(all, fmt.Sprintf("%q", w))
	}
	return all
}
