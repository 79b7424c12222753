package benchtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Switches returns how often the threads of a process gave up a core, or had to; 0 where /proc
// does not say.
func Switches(pid int) (sum int) {
	all, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, name := range all {
		for _, field := range []string{"voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"} {
			sum += int(number(name, field))
		}
	}
	return sum
}

// Proportional returns the memory of a process in MB, with its share of what it shares with
// others; 0 where /proc does not say.
func Proportional(pid int) (mb float64) {
	return number(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss:") / 1024
}

// Running returns the processes of a program.
func Running(program string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, name := range all {
		if target, err := os.Readlink(name); err == nil && target == program {
			var pid int
			_, _ = fmt.Sscanf(name, "/proc/%d/exe", &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// number returns the number of a line that begins with a field's name.
func number(name, field string) (n float64) {
	data, _ := os.ReadFile(name)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
	}
	return n
}
