package agent

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// awaitExit returns when the process has ended and is still to be reaped.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// processes lists what runs, as far as it can be seen.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read before an error still counts
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := look(pid); ok {
			p.nonce, p.host = marks(pid)
			if p.session == pid {
				p.daemon = daemonOf(arguments(pid))
			}
			all = append(all, p)
		}
	}
	return all
}

// look reads one process, without its environment.
func look(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	// The name, in parentheses, may hold anything, also parentheses.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return process{}, false
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	start, err := strconv.ParseUint(fields[19], 10, 64)
	return process{
		pid: pid, parent: number(1), group: number(2), session: number(3),
		start: start, dead: fields[0] == "Z" || fields[0] == "X",
	}, err == nil
}

// arguments are those of a process, its program first.
func arguments(pid int) []string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
}

// marks are empty for a process of another user, whose environment is closed to
// us and who is none of ours.
func marks(pid int) (nonce, host string) {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", ""
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(marker)); ok {
			nonce = string(value)
		}
		if value, ok := bytes.CutPrefix(entry, []byte(HostMark+"=")); ok {
			host = string(value)
		}
	}
	return nonce, host
}
