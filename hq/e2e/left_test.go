//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// alone fails if a process of this fixture is left, recognized by its HOME.
func (b *fixture) alone() {
	entries, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, path := range entries {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+b.root)) {
			continue // another user's, or already gone
		}
		pid := filepath.Base(filepath.Dir(path))
		command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		b.t.Errorf("process %s is left behind: %q", pid, command)
		if n, err := strconv.Atoi(pid); err == nil {
			if process, err := os.FindProcess(n); err == nil {
				process.Kill()
			}
		}
	}
}

// litter matches what clients are known to leave in the shared temporary directory.
func litter() map[string]bool {
	found := map[string]bool{}
	entries, _ := os.ReadDir("/tmp")
	for _, entry := range entries {
		for _, known := range []string{"claude", "cc-", "codex", "qwen", "node-compile-cache", ".claude",
			".agents", ".aws", ".codex", ".git", ".qwen"} {
			if strings.HasPrefix(entry.Name(), known) {
				found[entry.Name()] = true
				inner, _ := os.ReadDir(filepath.Join("/tmp", entry.Name()))
				for _, e := range inner {
					found[filepath.Join(entry.Name(), e.Name())] = true
				}
			}
		}
	}
	return found
}

// isMountPoint reports whether the sandbox of Codex mounts an empty directory over one of this name in the shared
// temporary directory, if it may use namespaces. Its bwrap creates the directory, and leaves it there, empty: 0.169.0
// the first kind, 0.171.0 the others too.
func isMountPoint(name string) bool {
	return strings.HasPrefix(name, "codex-daemon-") ||
		slices.Contains([]string{".agents", ".aws", ".codex", ".git"}, name)
}

// clean fails if a client left something outside its own directories.
func (b *fixture) clean(before map[string]bool) {
	for name := range litter() {
		if isMountPoint(name) && os.Remove(filepath.Join("/tmp", name)) == nil {
			continue // An empty directory can only have been a mount point.
		}
		if !before[name] {
			b.t.Errorf("left behind: /tmp/%s", name)
		}
	}
}
