//go:build unix && !linux

package project

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bootID is when the system was booted: { sec = 1700000000, usec = 0 } ...
func bootID() (string, error) {
	out, err := exec.Command("sysctl", "-n", "kern.boottime").Output()
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(out), "sec = ")
	seconds, _, more := strings.Cut(rest, ",")
	if !ok || !more {
		return "", fmt.Errorf("kern.boottime is %q", out)
	}
	return strings.TrimSpace(seconds), nil
}

// sinceBoot is not to be had: what these systems say of their boot moves with the
// clock.
func sinceBoot() (time.Duration, bool) { return 0, false }

// startAndParent asks ps; the start is in seconds since 1970. A zombie is gone.
func startAndParent(pid int) (start uint64, parent int, err error) {
	cmd := exec.Command("ps", "-o", "stat=,ppid=,lstart=", "-p", strconv.Itoa(pid))
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(out) == 0 {
		return 0, 0, errGone
	}
	f := strings.Fields(string(out))
	if err != nil || len(f) < 7 {
		return 0, 0, errors.Join(err, fmt.Errorf("ps says %q", out))
	}
	if strings.HasPrefix(f[0], "Z") {
		return 0, 0, errGone
	}
	if parent, err = strconv.Atoi(f[1]); err != nil {
		return 0, 0, err
	}
	began, err := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(f[2:7], " "))
	return uint64(began.Unix()), parent, err
}

// runs reports that a process lives and that its program's name begins so.
func runs(pid int, name string) bool {
	if _, _, err := startAndParent(pid); err != nil {
		return false
	}
	out, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(filepath.Base(strings.TrimSpace(string(out))), name)
}
