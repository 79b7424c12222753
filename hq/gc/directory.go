package gc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ferrus/agent/process"
	"ferrus/checks/workspace"
)

// freed marks the name of a directory that is being removed.
const freed = ".freed"

// removeDir renames a directory, so that nothing in it is used any more, and then removes it.
func removeDir(name string) error {
	if !strings.HasSuffix(name, freed) {
		next := name + freed
		if err := workspace.RemoveAll(next); err != nil { // what a crash left
			return err
		}
		if err := os.Rename(name, next); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		name = next
	}
	return workspace.RemoveAll(name)
}

// isUsed reports whether a process works in a directory, or that cannot be told.
func isUsed(dir string) bool {
	all, err := process.WorkingIn(dir)
	return err != nil || len(all) > 0
}

// refuseUsed returns an error if a process works in a directory.
func refuseUsed(dir string) error {
	if isUsed(dir) {
		return fmt.Errorf("a process works in it")
	}
	return nil
}

// measure returns how much a file or directory takes on the disk, and when it changed last; of
// a directory, when its own list of names did. It follows no link.
func measure(name string) (bytes int64, used time.Time) {
	if info, err := os.Lstat(name); err == nil {
		used = info.ModTime().UTC().Truncate(time.Second)
	}
	_ = filepath.WalkDir(name, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		if info, err := e.Info(); err == nil {
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += stat.Blocks * 512
			}
		}
		return nil
	})
	return bytes, used
}

// newItem describes a file or directory.
func newItem(kind Kind, name, why string) Item {
	i := Item{Kind: kind, Name: name, Why: why}
	i.Bytes, i.Used = measure(name)
	return i
}

// isGone reports whether there is nothing under a name.
func isGone(name string) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// isMine reports whether a file belongs to the user who runs this process.
func isMine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
