package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is how long ago the machine was booted, with the time it slept.
func sinceBoot() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano()), err == nil
}

func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}

// startAndParent reads /proc/PID/stat: field 22 is the start in ticks since boot,
// field 4 the parent. A zombie is gone.
func startAndParent(pid int) (start uint64, parent int, err error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return 0, 0, errGone
	}
	if err != nil {
		return 0, 0, err
	}
	// The name of the program, in parentheses, may hold anything: count from its end.
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(f) < 20 {
		return 0, 0, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(f))
	}
	if f[0] == "Z" || f[0] == "X" {
		return 0, 0, errGone
	}
	if parent, err = strconv.Atoi(f[1]); err != nil {
		return 0, 0, err
	}
	start, err = strconv.ParseUint(f[19], 10, 64)
	return start, parent, err
}

// runs reports that a process lives and that its program's name begins so.
func runs(pid int, name string) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	_, _, gone := startAndParent(pid)
	return err == nil && gone == nil && strings.HasPrefix(string(data), name)
}
