// Package memtemp makes test programs faster: it puts their temporary directories into
// memory, where an fsync costs nothing, and lets them collect garbage less often. Only
// the speed changes; if there is no memory file system, the directories stay on disk.
package memtemp

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
)

// M are the tests of a package, whose t.TempDir is in memory. Benchmarks measure the disk, and a TMPDIR that is set
// stays. What they start with the race detector does not sleep for a second at its end.
type M struct{ Tests interface{ Run() int } }

const (
	memory   = "/dev/shm"
	prefix   = "ferrus-test-"
	needed   = 4 << 30 // bytes that must be free
	forLong  = 8 << 30 // the same for the long tests: one has 600,000 files
	tmpfsID  = 0x01021994
	tempName = "TMPDIR"
	raceName = "GORACE"
)

// Run runs the tests and returns the exit code.
func (m M) Run() int {
	flag.Parse()
	LessGarbage()
	setDefault(raceName, "atexit_sleep_ms=0")
	if dir := directory(); dir != "" {
		defer os.RemoveAll(dir) //nolint:errcheck // the next run removes what is left
		if err := os.Setenv(tempName, dir); err != nil {
			panic(err)
		}
	}
	return m.Tests.Run()
}

// long reports whether the long tests run.
func long() bool { return os.Getenv("FERRUS_LONG") != "" }

// LongOnDisk leaves the long tests of a package on disk: its tests are about what the disk holds.
func LongOnDisk() {
	if long() {
		setDefault(tempName, os.TempDir())
	}
}

// garbage is how much of the heap in use is new before it is collected, in percent.
const garbage = 400

// LessGarbage makes this process and its children collect garbage less often, unless
// GOGC is set: they are small and end soon.
func LessGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
		setDefault("GOGC", strconv.Itoa(garbage))
	}
}

// setDefault sets a variable of the environment that is not set.
func setDefault(name, value string) {
	if os.Getenv(name) != "" {
		return
	}
	if err := os.Setenv(name, value); err != nil {
		panic(err)
	}
}

// directory returns a new directory in memory, or "" where the tests stay on disk.
func directory() string {
	if bench := flag.Lookup("test.bench"); bench != nil && bench.Value.String() != "" {
		return ""
	}
	free := uint64(needed)
	if long() {
		free = forLong
	}
	var fs syscall.Statfs_t
	if os.Getenv(tempName) != "" || syscall.Statfs(memory, &fs) != nil ||
		int64(fs.Type) != tmpfsID || fs.Bavail*uint64(fs.Bsize) < free {
		return ""
	}
	sweep()
	dir, err := os.MkdirTemp(memory, fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return ""
	}
	if os.Chmod(dir, os.ModeSticky|0o777) != nil || !runs(dir) { // as /tmp: tests run programs as other users
		os.RemoveAll(dir) //nolint:errcheck // empty but for one script
		return ""
	}
	return dir
}

// runs reports whether programs can be run from the directory: many containers forbid it.
func runs(dir string) bool {
	script := filepath.Join(dir, "true")
	err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o700)
	if err == nil {
		err = exec.Command(script).Run()
	}
	return err == nil && os.Remove(script) == nil
}

// sweep removes the directories of test programs that were killed.
func sweep() {
	dirs, _ := filepath.Glob(filepath.Join(memory, prefix+"*"))
	for _, dir := range dirs {
		var pid int
		_, err := fmt.Sscanf(filepath.Base(dir), prefix+"%d-", &pid)
		if err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
			os.RemoveAll(dir) //nolint:errcheck // the next run tries again
		}
	}
}
