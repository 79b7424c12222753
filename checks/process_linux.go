package checks

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// processes reads the process table. Processes that end while it is read are
// left out.
func processes(marker string) ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var table []process
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := readProcess(pid, marker); ok {
				table = append(table, p)
			}
		}
	}
	if len(table) == 0 {
		return nil, errNoTable
	}
	return table, nil
}

// awaitExit returns when a command has ended and is still to be reaped: until then
// the number of its group is nobody else's.
func awaitExit(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

func readProcess(pid int, marker string) (process, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return process{}, false
	}
	// The name in parentheses may hold anything, so count from its end.
	_, after, _ := cutLast(string(stat), ") ")
	f := strings.Fields(after)
	if len(f) < 4 {
		return process{}, false
	}
	p := process{pid: pid, dead: f[0] == "Z" || f[0] == "X", parent: number(f[1]), group: number(f[2]), session: number(f[3])}
	if !p.dead {
		environ, _ := os.ReadFile(dir + "/environ") // Unreadable: another user's, so not ours.
		p.marked = carries(string(environ), marker)
	}
	return p, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // The kernel writes numbers.
	return n
}

func signalText(s syscall.Signal) string { return unix.SignalName(s) }
