package benchtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Ran is how long all threads of a process have run; 0 where /proc does not say.
func Ran(pid int) (sum time.Duration) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range all {
		var ran int64
		if data, err := os.ReadFile(name); err == nil {
			_, _ = fmt.Sscan(string(data), &ran)
		}
		sum += time.Duration(ran)
	}
	return sum
}

// Resident is the memory of a process, in MB; 0 where /proc does not say.
func Resident(pid int) (mb float64) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, _ = fmt.Sscan(rest, &mb)
		}
	}
	return mb / 1024
}
