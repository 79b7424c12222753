//go:build unix && !linux

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ferrus/agent/paths"

	"golang.org/x/sys/unix"
)

// List reads the process table with ps, with the variables that are named of each
// process' environment. Programs of the system hide theirs.
func List(variables ...string) (Table, error) { return list(variables, "-ax") }

// ListSince is [List]: ps reads everything at once.
func ListSince(_ Time, variables ...string) (Table, error) { return List(variables...) }

// Lookup reads one line of the table, without Env. The error is [ErrGone] where
// there is no such process.
func Lookup(pid int) (Process, error) {
	table, err := list(nil, "-p", strconv.Itoa(pid))
	if err != nil {
		return Process{}, err
	}
	p, ok := table.Find(pid)
	if !ok {
		return Process{}, ErrGone
	}
	return p, nil
}

// psColumns are what [parsePS] reads. With -E the environment of our own processes
// follows their command.
var psColumns = []string{"-wwE", "-o", "pid=,ppid=,pgid=,sess=,state=,lstart=,command="}

// list runs ps, which fails without a word where there is none of the processes.
func list(variables []string, which ...string) (Table, error) {
	cmd := exec.Command("/bin/ps", append(which, psColumns...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(out) == 0 && which[0] == "-p" {
		return nil, ErrGone
	}
	table := parsePS(string(out), variables)
	if len(table) == 0 {
		return nil, fmt.Errorf("list processes: ps says %q: %w", out, errors.Join(err, errors.New("no process")))
	}
	return table, nil
}

// Exists reports whether there is a process with a pid. It may be any process,
// as pids are reused, and it may have ended without being reaped.
func Exists(pid int) bool { return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// Args returns the program and its arguments, as far as blanks tell them apart.
func (p Process) Args() []string { return p.args }

// Name returns the name of a process' program.
func Name(pid int) (string, error) {
	if _, err := running(pid); err != nil {
		return "", err
	}
	out, err := exec.Command("/bin/ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return filepath.Base(strings.TrimSpace(string(out))), err
}

// AwaitExit returns when a child of this process has ended and is still to be
// reaped: until then its number is not another process's.
func AwaitExit(pid int) {
	queue, err := unix.Kqueue()
	for ; err != nil; queue, err = unix.Kqueue() {
		time.Sleep(10 * time.Millisecond) // out of descriptors
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

// bootID returns the time when the system was booted: { sec = 1700000000, usec = 0 }
// ...
func bootID() (string, error) {
	out, err := exec.Command("/usr/sbin/sysctl", "-n", "kern.boottime").Output()
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

// sinceBoot is unknown: what these systems say of their boot moves with the clock.
func sinceBoot() (time.Duration, bool) { return 0, false }

// Now returns a time before every process: no start is known without asking for the whole table.
func Now() Time { return Time{} }

// usersOf returns the processes that work in a directory: what they have open is not
// looked at here.
func usersOf(m Time, dir string) (Table, error) {
	working, err := workingIn(dir)
	if err != nil {
		return nil, err
	}
	var all Table
	for _, one := range working {
		number, _, _ := strings.Cut(one, " ")
		pid, _ := strconv.Atoi(number)
		if p, err := Lookup(pid); err == nil && p.Start >= m.start { // It may be gone by now.
			all = append(all, p)
		}
	}
	return all, nil
}

// workingIn asks lsof, which exits with 1 where it could not look at all of them.
func workingIn(dir string) ([]string, error) {
	out, err := exec.Command("/usr/sbin/lsof", "-w", "-a", "-d", "cwd", "-F", "pcn").Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
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
		case field == "n" && pid != strconv.Itoa(os.Getpid()) && paths.Within(dir, value):
			all = append(all, pid+" "+name)
		}
	}
	return all, nil
}
