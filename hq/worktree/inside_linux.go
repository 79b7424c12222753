package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// inside are the processes whose working directory is in a folder, this one left out.
// Those of other users cannot be looked at.
func inside(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		cwd, err := os.Readlink("/proc/" + entry.Name() + "/cwd")
		if err != nil || cwd != real && !strings.HasPrefix(cwd, real+"/") {
			continue
		}
		name, _ := os.ReadFile("/proc/" + entry.Name() + "/comm") // It may be gone by now.
		all = append(all, strings.TrimSpace(fmt.Sprintf("%d %s", pid, name)))
	}
	return all, nil
}
