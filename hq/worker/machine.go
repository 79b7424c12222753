package worker

import (
	"bufio"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// load returns the load of the last minute; 0: unknown.
func load() (one float64) {
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(data), &one)
	}
	return one
}

// freeMemoryMB returns how much memory is available; 0: unknown.
func freeMemoryMB() (mb int) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &mb); n == 1 {
			return mb >> 10
		}
	}
	return 0
}

// freeDiskMB returns how much of a directory's disk is free.
func freeDiskMB(dir string) int {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int(s.Bavail * uint64(s.Bsize) >> 20)
}
