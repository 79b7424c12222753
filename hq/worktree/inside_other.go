//go:build unix && !linux

package worktree

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// inside asks lsof for the processes whose working directory is in a folder, this one
// left out.
func inside(dir string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	out, err := exec.Command("lsof", "-w", "-a", "-d", "cwd", "-F", "pcn").Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) { // It exits 1 when it could not look at all.
		return nil, err
	}
	var all []string
	pid, name := "", ""
	for line := range strings.Lines(string(out)) {
		field, value := line[:1], strings.TrimSpace(line[1:])
		switch {
		case field == "p":
			pid = value
		case field == "c":
			name = value
		case field == "n" && pid != strconv.Itoa(os.Getpid()) && (value == real || strings.HasPrefix(value, real+"/")):
			all = append(all, pid+" "+name)
		}
	}
	return all, nil
}
