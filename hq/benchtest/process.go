package benchtest

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Ran returns how long all threads of a process have run; 0 where /proc does not say.
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

// Resident returns the memory of a process, in MB; 0 where /proc does not say.
func Resident(pid int) (mb float64) {
	return number(fmt.Sprintf("/proc/%d/status", pid), "VmRSS:") / 1024
}
