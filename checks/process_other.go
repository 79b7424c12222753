//go:build unix && !linux

package checks

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit returns when a command has ended and is still to be reaped: until then
// the number of its group is nobody else's.
func awaitExit(cmd *exec.Cmd) {
	queue, err := unix.Kqueue()
	for ; err != nil; queue, err = unix.Kqueue() {
		time.Sleep(pollEvery) // out of descriptors
	}
	defer unix.Close(queue)
	event := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
	unix.SetKevent(&event, cmd.Process.Pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	for {
		n, err := unix.Kevent(queue, []unix.Kevent_t{event}, make([]unix.Kevent_t, 1), nil)
		if err != unix.EINTR || n > 0 {
			return
		}
	}
}

// processes reads the process table with ps. Programs of the system hide their
// environment there; they are found by group and parent.
func processes(marker string) ([]process, error) {
	out, err := exec.Command("ps", "-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,sess=,stat=,command=").Output()
	if err != nil {
		return nil, err
	}
	var table []process
	for line := range strings.Lines(string(out)) {
		if p, ok := parseProcess(line, marker); ok {
			table = append(table, p)
		}
	}
	if len(table) == 0 {
		return nil, errNoTable
	}
	return table, nil
}

func parseProcess(line, marker string) (process, bool) {
	f := strings.Fields(line)
	if len(f) < 5 {
		return process{}, false
	}
	p := process{pid: number(f[0]), parent: number(f[1]), group: number(f[2]), session: number(f[3])}
	p.dead = strings.HasPrefix(f[4], "Z")
	p.marked = carries(strings.Join(f[5:], "\x00"), marker)
	return p, true
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // The session may be an address, which is no process.
	return n
}

func signalText(s syscall.Signal) string { return unix.SignalName(s) }
