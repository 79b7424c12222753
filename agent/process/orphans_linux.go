package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// EndOrphans kills the children of this process until there are none, for a process that adopts the orphans of what it
// started. A process that starts another one and ends at once is in no list of processes for long enough to be found
// there; but the kernel knows whether this process has a child, and a descendant always has a parent that is one.
func EndOrphans() error {
	for end := time.Now().Add(dying); ; {
		for _, pid := range childPIDs() {
			if p, err := Lookup(pid); err == nil && p.Parent == os.Getpid() {
				_ = p.Signal(syscall.SIGKILL)
			}
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // one that is gone was reaped elsewhere
		}
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if errors.Is(err, unix.ECHILD) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("still alive: %v", childPIDs())
		}
	}
}

// childPIDs returns the children of all threads.
func childPIDs() (pids []int) {
	threads, _ := os.ReadDir("/proc/self/task") // Where it cannot be read, the loop ends without having found anything.
	for _, t := range threads {
		data, err := os.ReadFile("/proc/self/task/" + t.Name() + "/children")
		if err != nil {
			continue // The thread is gone.
		}
		for word := range strings.FieldsSeq(string(data)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
