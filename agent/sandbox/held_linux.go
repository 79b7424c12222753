package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// held is a mount inside a tree that other programs change while the walls are built: one of them could exchange
// a directory for a link to anything, before bubblewrap follows it. So what a policy names is identified before, and
// the first program inside compares it with what is there.
type held struct {
	Path     string `json:"path"`
	Dev      uint64 `json:"dev,omitempty"`
	Ino      uint64 `json:"ino,omitempty"` // 0: it is a new file system
	ReadOnly bool   `json:"ro,omitempty"`
}

// errExchanged is what [held.check] finds.
var errExchanged = errors.New("something else was put there while the sandbox was built; try again")

// held returns those of some mounts that must be compared inside.
func (p Policy) held(all []mount) (found []held, err error) {
	changing := trees(slices.Concat(p.Write, p.Shared))
	for _, m := range all {
		if !changing.hold(m.path) {
			continue
		}
		h := held{Path: m.path}
		if from, ok := m.source(); ok {
			info, err := identify(from)
			if err != nil {
				return nil, err
			}
			h.Dev, h.Ino, h.ReadOnly = info.Dev, info.Ino, m.args[0] == "--ro-bind"
		}
		found = append(found, h)
	}
	return found, nil
}

// source returns what a mount shows; false: a file system of its own.
func (m mount) source() (string, bool) {
	return m.args[1], len(m.args) == 3 && strings.HasSuffix(m.args[0], "bind")
}

// identify returns what is at a path, and an error for a symbolic link anywhere on the way.
func identify(path string) (info unix.Stat_t, err error) {
	fd, err := openReal(path)
	if err != nil {
		return info, err
	}
	defer unix.Close(fd)
	return info, unix.Fstat(fd, &info)
}

// openReal opens what is at a path, to look at it, and follows no symbolic link.
func openReal(path string) (int, error) {
	const only = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	at, err := unix.Open("/", only, 0)
	if err != nil {
		return 0, err
	}
	for part := range strings.SplitSeq(strings.Trim(filepath.Clean(path), "/"), "/") {
		if part == "" {
			return at, nil
		}
		next, err := unix.Openat(at, part, only, 0)
		unix.Close(at) //nolint:errcheck // it was not written
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		var info unix.Stat_t
		if err := unix.Fstat(next, &info); err != nil || info.Mode&unix.S_IFMT == unix.S_IFLNK {
			unix.Close(next) //nolint:errcheck // it was not written
			return 0, fmt.Errorf("%s: %w", path, errors.Join(errExchanged, err))
		}
		at = next
	}
	return at, nil
}

// check returns an error unless the mount is at its path, which this process sees inside.
func (h held) check() error {
	fd, err := openReal(h.Path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	var file unix.Statfs_t
	var more unix.Statx_t
	err = errors.Join(unix.Fstat(fd, &info), unix.Fstatfs(fd, &file),
		unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, &more))
	const root = unix.STATX_ATTR_MOUNT_ROOT // Linux before 5.8 does not say so.
	switch {
	case err != nil:
		return fmt.Errorf("look at %s: %w", h.Path, err)
	case more.Attributes_mask&root != 0 && more.Attributes&root == 0,
		h.Ino != 0 && (info.Dev != h.Dev || info.Ino != h.Ino),
		h.ReadOnly && file.Flags&unix.ST_RDONLY == 0:
		return fmt.Errorf("%s: %w", h.Path, errExchanged)
	}
	return nil
}

// offerHeld returns a descriptor that the first program inside reads what must be held from; 0: nothing.
func offerHeld(all []held) (int, error) {
	if len(all) == 0 {
		return 0, nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return 0, err
	}
	return memoryFile(data)
}

// checkHeld compares what a descriptor of [offerHeld] names with what is there.
func checkHeld(fd int) error {
	if fd == 0 {
		return nil
	}
	f := os.NewFile(uintptr(fd), "held")
	defer f.Close()
	data, err := io.ReadAll(f)
	var all []held
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	for _, h := range all {
		err = errors.Join(err, h.check())
	}
	return err
}
