package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// List reads the process table, with the named variables of the environment that
// each process was started with. Processes that end meanwhile are left out.
func List(variables ...string) (Table, error) {
	table, err := ListSince(Time{}, variables...)
	if err == nil && len(table) == 0 {
		err = errors.New("list processes: /proc has none")
	}
	return table, err
}

// ListSince is [List] of the processes that started at a time or later, and maybe of others, without their
// environment: the environments take most of the time.
func ListSince(m Time, variables ...string) (Table, error) {
	pids, err := m.pids()
	if err != nil {
		return nil, err
	}
	var table Table
	var buffer []byte
	for _, pid := range pids {
		if p, failed := lookup(pid, &buffer); failed == nil {
			if p.Start >= m.start {
				p.readEnv(variables, &buffer)
			}
			table = append(table, p)
		}
	}
	return table, nil
}

// Bounds within which the processes that have started since a time are found by their pids. The system gives them in
// order, and begins again after 32768 or more.
const (
	pidTime  = 100 * time.Millisecond // in which no system starts that many
	pidCount = 256                    // for more the table is read
)

// pids returns the pids of the processes that have started since a time, and maybe others. Not all need be there.
func (m Time) pids() (pids []int, err error) {
	last := 0
	if m.pid > 0 && time.Since(m.at) < pidTime {
		last = lastPID()
	}
	if last < m.pid || last > m.pid+pidCount || last == 0 {
		return list()
	}
	for pid := m.pid + 1; pid <= last; pid++ {
		process, known := isProcess(pid)
		if !known {
			return list()
		}
		if process {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// isProcess reports whether a number is a process's: threads get theirs from the same ones, and have files in /proc
// that no list of it shows. Known is false where the system does not tell.
func isProcess(pid int) (is, known bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case err == nil:
		unix.Close(fd)
		return true, true
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return false, true // gone, or a thread
	}
	return false, false
}

// lastPID returns the pid that the system gave last, to a process or a thread; 0: it is not known.
func lastPID() int {
	data, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 5 {
		return 0
	}
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return 0 // It shows the processes of another namespace.
	}
	pid, _ := strconv.Atoi(fields[4]) // The kernel writes a number.
	return pid
}

// list returns the pids of the process table.
func list() (pids []int, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	for _, name := range names { // what was read before an error counts
		if pid, failed := strconv.Atoi(name); failed == nil {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		return nil, fmt.Errorf("list processes: %w", errors.Join(err, errors.New("/proc has none")))
	}
	return pids, nil
}

// Lookup reads one line of the table, without Env. The error is [ErrGone] where
// there is no such process.
func Lookup(pid int) (Process, error) { return lookup(pid, new([]byte)) }

// lookup reads into a buffer, which grows with what is read.
func lookup(pid int, buffer *[]byte) (Process, error) {
	stat, err := read(file(pid, "stat"), buffer, statLength)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return Process{}, ErrGone
	}
	if err != nil {
		return Process{}, err
	}
	// The program's name, in parentheses, may hold anything, also parentheses.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return Process{}, fmt.Errorf("%s has %d fields", file(pid, "stat"), len(fields))
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n } // The kernel writes numbers.
	start, err := strconv.ParseUint(fields[19], 10, 64)
	ended := fields[0] == "Z" || fields[0] == "X" // its first thread; others may still run
	return Process{
		PID: pid, Parent: number(1), Group: number(2), Session: number(3), Start: start,
		Zombie: ended && number(17) <= 1, headless: ended && number(17) > 1, kernel: number(6)&kernelThread != 0,
	}, err
}

// kernelThread is the flag of a thread of the kernel, which has neither an environment nor a file.
const kernelThread = 0x00200000

// statLength is more than a line of the table has.
const statLength = 4096

// read returns what a file of /proc holds, in a buffer that the next call uses again. One
// that is shorter than most is read at once. The whole table is read often, and this takes
// half the system calls of [os.ReadFile].
func read(name string, buffer *[]byte, most int) ([]byte, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for size := 0; ; {
		if size == len(*buffer) {
			*buffer = append(*buffer, make([]byte, max(4096, size))...)
		}
		n, err := unix.Read(fd, (*buffer)[size:])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || n == 0:
			return (*buffer)[:size], err
		default:
			if size += n; size < most {
				return (*buffer)[:size], nil
			}
		}
	}
}

func file(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// Exists reports whether a process with a pid is running. It may be any process:
// pids are reused.
func Exists(pid int) bool {
	if p, err := Lookup(pid); err == nil {
		return !p.Zombie
	}
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func (p *Process) readEnv(variables []string, buffer *[]byte) {
	if len(variables) == 0 || p.Zombie || p.kernel {
		return
	}
	name := file(p.PID, "environ")
	if p.headless {
		for thread := range threads(p.PID) {
			name = thread + "/environ"
		}
	}
	env, err := read(name, buffer, 0)
	if err != nil {
		return
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if name, _, _ := bytes.Cut(entry, []byte("=")); slices.Contains(variables, string(name)) {
			p.addEnvironment(string(entry), variables)
		}
	}
}

// threads yields the directories of the threads of a process that are not its first.
func threads(pid int) iter.Seq[string] {
	return func(yield func(string) bool) {
		entries, _ := os.ReadDir(file(pid, "task")) // it may be gone by now
		for _, entry := range entries {
			if entry.Name() != strconv.Itoa(pid) && !yield(file(pid, "task/"+entry.Name())) {
				return
			}
		}
	}
}

// Args returns the program and its arguments.
func (p Process) Args() []string {
	line, err := os.ReadFile(file(p.PID, "cmdline"))
	if err != nil || len(line) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
}

// Name returns the first 15 bytes of the name of a process's program.
func Name(pid int) (string, error) {
	if _, err := running(pid); err != nil {
		return "", err
	}
	name, err := os.ReadFile(file(pid, "comm"))
	return strings.TrimSpace(string(name)), err
}

// AwaitExit returns when a child of this process has ended and is not reaped
// yet: until then no other process gets its pid.
func AwaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

func bootID() (string, error) {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(data)), err
}

func sinceBoot() (time.Duration, bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t)
	return time.Duration(t.Nano()), err == nil
}

// startTicks are the parts of a second in which a start is counted.
const startTicks = 100

// Now returns the present time.
func Now() Time {
	m := Time{at: time.Now(), pid: lastPID()}
	if up, ok := sinceBoot(); ok && up >= time.Second {
		m.start = uint64(up*startTicks/time.Second) - 1
	}
	return m
}
