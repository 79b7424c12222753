package sandbox

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// delegate has a command start in a control group that belongs to its user, as systemd has it for the programs of a
// desktop. Where this test cannot make one, the command starts in the group of the test.
func delegate(t *testing.T, cmd *exec.Cmd, user int) {
	t.Helper()
	for _, top := range groupTrees {
		var of unix.Statfs_t
		if err := unix.Statfs(top, &of); err != nil || of.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		group, err := os.MkdirTemp(top, "ferrus-test-")
		if err != nil {
			t.Log("no control group for the user:", err)
			return
		}
		t.Cleanup(func() { removeGroup(t, group) })
		files, _ := filepath.Glob(group + "/*")
		for _, name := range append(files, group) {
			if err := os.Chown(name, user, user); err != nil {
				t.Fatal(err)
			}
		}
		dir, err := os.Open(group)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dir.Close() })
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
		return
	}
}

// groupTrees are where control groups of version 2 are.
var groupTrees = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}

// removeGroup removes a control group with those below it, as soon as nothing runs in them.
func removeGroup(t *testing.T, group string) {
	t.Helper()
	_ = os.WriteFile(group+"/cgroup.kill", []byte("1"), 0)
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		var all []string
		_ = filepath.WalkDir(group, func(name string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				all = append(all, name)
			}
			return nil
		})
		err := fs.ErrNotExist
		for _, name := range slices.Backward(all) {
			err = unix.Rmdir(name)
		}
		if err == nil || time.Since(start) > time.Minute {
			if err != nil {
				t.Errorf("remove the control group of the test: %v", err)
			}
			return
		}
	}
}

// forgedGroup is what an escape makes in the control group of the programs outside.
const forgedGroup = "ferrus-forged"

// hasForgedGroup reports whether the control group of the program outside was written from inside.
func hasForgedGroup(*outside) bool {
	data, _ := os.ReadFile("/proc/self/cgroup")
	for line := range strings.Lines(string(data)) {
		path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for _, top := range groupTrees {
			if ok && exists(filepath.Join(top, path, forgedGroup)) {
				return true
			}
		}
	}
	return false
}
