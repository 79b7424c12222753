package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"ferrus/agent/paths"

	"golang.org/x/sys/unix"
)

// deepest is the limit that the processes of an outermost session have.
const deepest = 1<<40 - 1

// MarkSession marks this process and everything that it starts from now on as a session of
// ferrus. The mark is the hard limit of file locks, which the kernel inherits and has not
// enforced since Linux 2.5: neither a clean environment nor a new process session, another
// parent or a namespace removes it, and without privilege it can only be lowered.
func MarkSession() error { return MarkStarted(0) }

// MarkStarted is like [MarkSession] for a process that this one has just started.
func MarkStarted(pid int) error {
	var limit unix.Rlimit
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit); err != nil {
		return fmt.Errorf("mark the session: %w", err)
	}
	limit.Max = min(limit.Max-1, deepest)
	limit.Cur = limit.Max
	if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, &limit, nil); err != nil {
		return fmt.Errorf("mark the session: %w", err)
	}
	return nil
}

// Depth returns in how many sessions of ferrus, one inside the other, a process was
// started; 0: in none that the system tells of. A session that lowered its own mark is
// deeper than it was, never less deep.
func Depth(pid int) (uint64, error) {
	data, err := os.ReadFile(file(pid, "limits"))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		rest, ok := strings.CutPrefix(string(line), "Max file locks")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		hard, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil || hard > deepest { // unlimited, or not ours
			return 0, nil
		}
		return deepest - hard + 1, nil
	}
	return 0, fmt.Errorf("%s does not support file locks", file(pid, "limits"))
}

// AdoptOrphans makes this process the parent of every descendant whose own parent ends,
// so that what a session starts stays below its host whatever it does. The caller reaps
// them with [ReapOrphans].
func AdoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// AdoptsOrphans reports whether this process is the parent of orphans.
func AdoptsOrphans() bool {
	var set int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&set)), 0, 0, 0)
	return err == nil && set != 0
}

// ReapOrphans reaps the adopted children that have ended, but for one.
func ReapOrphans(but int) {
	all, err := List()
	if err != nil {
		return // the next one reaps them
	}
	for _, p := range all {
		if p.Zombie && p.Parent == os.Getpid() && p.PID != but {
			_, _ = syscall.Wait4(p.PID, nil, syscall.WNOHANG, nil) // one that is gone was reaped elsewhere
		}
	}
}

// Protect hides the memory and the environment of this process from other processes of its
// user, as far as the system allows it.
func Protect() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// NamespacesOf returns the namespaces of a process. They are closed for processes of others.
func NamespacesOf(pid int) (n Namespaces, err error) {
	for name, to := range map[string]*string{"pid": &n.PID, "mnt": &n.Mount, "uts": &n.UTS, "user": &n.User} {
		if *to, err = os.Readlink(file(pid, "ns/"+name)); err != nil {
			return Namespaces{}, err
		}
	}
	return n, nil
}

// Terminal returns the controlling terminal of a process; empty: it has none.
func Terminal(pid int) (string, error) {
	stat, err := os.ReadFile(file(pid, "stat"))
	if err != nil {
		return "", err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 5 {
		return "", fmt.Errorf("%s has %d fields", file(pid, "stat"), len(fields))
	}
	device, err := strconv.ParseInt(fields[4], 10, 32)
	if err != nil || device == 0 {
		return "", err
	}
	major, minor := unix.Major(uint64(uint32(device))), unix.Minor(uint64(uint32(device)))
	switch {
	case major >= 136 && major < 144:
		return fmt.Sprintf("pts/%d", (major-136)<<20|minor), nil
	case major == 4 && minor < 64:
		return fmt.Sprintf("tty%d", minor), nil
	}
	return fmt.Sprintf("terminal %d:%d", major, minor), nil
}

// MountedBelow returns a place at or below a directory where this process has something
// mounted; empty: there is none.
func MountedBelow(dir string) (string, error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if paths.Within(dir, at) {
			return at, nil
		}
	}
	return "", nil
}
