package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	var table Table
	for _, name := range names { // what was read before an error counts
		pid, failed := strconv.Atoi(name)
		if failed != nil {
			continue
		}
		if p, failed := Lookup(pid); failed == nil {
			p.readEnv(variables)
			table = append(table, p)
		}
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("list processes: %w", errors.Join(err, errors.New("/proc has none")))
	}
	return table, nil
}

// Lookup reads one line of the table, without Env. The error is [ErrGone] where
// there is no such process.
func Lookup(pid int) (Process, error) {
	stat, err := os.ReadFile(file(pid, "stat"))
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
	return Process{
		PID: pid, Parent: number(1), Group: number(2), Session: number(3),
		Start: start, Zombie: fields[0] == "Z" || fields[0] == "X",
	}, err
}

func file(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// Exists reports whether there is a process with a pid that did not end. It says
// nothing of which process that is.
func Exists(pid int) bool {
	if p, err := Lookup(pid); err == nil {
		return !p.Zombie
	}
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func (p *Process) readEnv(variables []string) {
	if len(variables) == 0 || p.Zombie {
		return
	}
	env, err := os.ReadFile(file(p.PID, "environ"))
	if err != nil {
		return
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		p.addEnvironment(string(entry), variables)
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

// Name returns the name of a process' program, its first 15 bytes.
func Name(pid int) (string, error) {
	if _, err := running(pid); err != nil {
		return "", err
	}
	name, err := os.ReadFile(file(pid, "comm"))
	return strings.TrimSpace(string(name)), err
}

// AwaitExit returns when a child of this process has ended and is still to be
// reaped: until then its number is not another process's.
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

// usersOf looks at the working directory, the root, the program and the open files.
func usersOf(dir string) (Table, error) {
	table, err := List()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(table, func(p Process) bool { return p.PID == os.Getpid() || !p.uses(dir) }), nil
}

func (p Process) uses(dir string) bool {
	links := []string{file(p.PID, "cwd"), file(p.PID, "root"), file(p.PID, "exe")}
	open, _ := os.ReadDir(file(p.PID, "fd")) // One of another user does not tell.
	for _, fd := range open {
		links = append(links, filepath.Join(file(p.PID, "fd"), fd.Name()))
	}
	return slices.ContainsFunc(links, func(link string) bool {
		to, err := os.Readlink(link)
		return err == nil && (to == dir || strings.HasPrefix(to, dir+"/"))
	})
}

func workingIn(dir string) ([]string, error) {
	table, err := List()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range table {
		cwd, err := os.Readlink(file(p.PID, "cwd"))
		if err != nil || p.PID == os.Getpid() || cwd != dir && !strings.HasPrefix(cwd, dir+"/") {
			continue
		}
		name, _ := Name(p.PID) // It may be gone by now.
		all = append(all, strings.TrimSpace(strconv.Itoa(p.PID)+" "+name))
	}
	return all, nil
}
