package process

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"ferrus/agent/paths"

	"golang.org/x/sys/unix"
)

func startedSince(start uint64, pid int, buffer *[]byte) bool {
	p, err := lookup(pid, buffer)
	return err == nil && p.Start >= start
}

// usersOf looks at the working directory, the root, the program and the open files. There can be thousands of
// them, so all processors share the work.
func usersOf(m Time, dir string) (Table, error) {
	pids, err := m.pids()
	if err != nil {
		return nil, err
	}
	var (
		next  atomic.Int64
		all   = make([]*Process, len(pids))
		users Table
		work  sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		work.Go(func() {
			var buffer []byte
			for i := next.Add(1) - 1; i < int64(len(pids)); i = next.Add(1) - 1 {
				all[i] = userOf(m, pids[i], dir, &buffer)
			}
		})
	}
	work.Wait()
	for _, p := range all {
		if p != nil {
			users = append(users, *p)
		}
	}
	return users, nil
}

// userOf returns a process that uses a directory; nil if it does not, or is part of this one.
func userOf(m Time, pid int, dir string, buffer *[]byte) *Process {
	self := os.Getpid()
	if pid == self || m.start > 0 && !startedSince(m.start, pid, buffer) || !uses(pid, dir) {
		return nil
	}
	p, err := lookup(pid, buffer)
	if err != nil || p.Parent == self && (isFork(pid) || !usesAfterExec(pid, dir)) {
		return nil
	}
	return &p
}

// usesAfterExec is uses for a child that is no fork any more. It may have become another program since it was asked,
// and the files that it has of this one are closed a moment later: the kernel does not open its environment before.
func usesAfterExec(pid int, dir string) bool {
	if f, err := os.Open(file(pid, "environ")); err == nil {
		_ = f.Close() // Nothing was written.
	}
	return uses(pid, dir)
}

// isFork reports whether a child of this process has yet to become another program: until then it
// has all files open that this process had.
func isFork(pid int) bool {
	same := func(name string, read func(string) (string, error)) bool {
		is, err := read(file(pid, name))
		own, err2 := read(file(os.Getpid(), name))
		return err == nil && err2 == nil && is == own
	}
	return same("exe", os.Readlink) && same("cmdline", func(name string) (string, error) {
		data, err := os.ReadFile(name)
		return string(data), err
	})
}

// uses reports whether a process uses a directory. One whose first thread has ended tells by another one, and one of
// another user does not tell.
func uses(pid int, dir string) bool {
	leads, err := usesAs("/proc/"+strconv.Itoa(pid), dir)
	if errors.Is(err, unix.ENOENT) {
		for thread := range threads(pid) {
			if leads, _ := usesAs(thread, dir); leads {
				return true
			}
		}
	}
	return leads
}

// usesAs reads a directory of a process or thread. The error is [unix.ENOENT] for one that has ended, and nil for
// one of the kernel, which has a working directory, but no program.
func usesAs(proc, dir string) (leads bool, err error) {
	var buffer [unix.PathMax]byte
	leadsInto := func(at int, link string) (bool, error) {
		n, err := unix.Readlinkat(at, link, buffer[:])
		to, inside := bytes.CutPrefix(buffer[:max(n, 0)], []byte(dir))
		return err == nil && inside && (len(to) == 0 || to[0] == '/'), err
	}
	if leads, err = leadsInto(unix.AT_FDCWD, proc+"/cwd"); leads || err != nil {
		return leads, err
	}
	for _, link := range []string{"/exe", "/root"} {
		if leads, err := leadsInto(unix.AT_FDCWD, proc+link); leads || err != nil {
			return leads, nil
		}
	}
	open, err := unix.Open(proc+"/fd", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_DIRECTORY, 0)
	if err != nil {
		return false, nil // One of another user does not tell.
	}
	defer unix.Close(open)
	var entries [4096]byte
	for {
		n, err := unix.ReadDirent(open, entries[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return false, nil
		}
		_, _, names := unix.ParseDirent(entries[:n], -1, nil)
		if slices.ContainsFunc(names, func(fd string) bool { leads, _ := leadsInto(open, fd); return leads }) {
			return true, nil
		}
	}
}

func workingIn(dir string) ([]string, error) {
	table, err := List()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range table {
		cwd, err := os.Readlink(file(p.PID, "cwd"))
		if err != nil || p.PID == os.Getpid() || !paths.Within(dir, cwd) {
			continue
		}
		name, _ := Name(p.PID) // It may be gone by now.
		all = append(all, strings.TrimSpace(strconv.Itoa(p.PID)+" "+name))
	}
	return all, nil
}
