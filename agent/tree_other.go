//go:build !linux

package agent

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the process has ended and is still to be reaped, or
// when that cannot be told.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer unix.Close(queue)
	event := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&event, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	for {
		n, err := unix.Kevent(queue, []unix.Kevent_t{event}, make([]unix.Kevent_t, 1), nil)
		if err != unix.EINTR || n > 0 {
			return
		}
	}
}

// listing is what parseProcesses reads. With -E the environment of our own
// processes follows their command.
var listing = []string{"-wwE", "-o", "pid=,ppid=,pgid=,state=,lstart=,command="}

// processes lists what runs, as far as it can be seen.
func processes() []process { return list("-ax") }

// look reads one process.
func look(pid int) (process, bool) {
	all := find(list("-p", strconv.Itoa(pid)), pid)
	if len(all) == 0 {
		return process{}, false
	}
	return all[0], true
}

// arguments are those of a process, its program first, as far as blanks tell them
// apart.
func arguments(pid int) []string {
	out, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

func list(which ...string) []process {
	cmd := exec.Command("ps", append(which, listing...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return parseProcesses(string(out))
}
