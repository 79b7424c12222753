package store

import (
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// insideOnly keeps a name below a directory, and follows no link in it. [os.Root] and checkPath do the same with
// several system calls for each part of a name; they are for systems that cannot do it, and for the errors.
const insideOnly = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS

// openAtOnce opens a regular file or a directory; nil: that fails, or it is something else.
func (f osFolder) openAtOnce(name string, flag int) *os.File {
	// Without O_NONBLOCK, opening a pipe waits for a writer.
	how := unix.OpenHow{Flags: uint64(flag) | unix.O_CLOEXEC | unix.O_NONBLOCK, Resolve: insideOnly}
	if flag&os.O_CREATE != 0 {
		how.Mode = 0o600
	}
	fd, err := unix.Openat2(int(f.dir.Fd()), name, &how)
	if err != nil {
		return nil
	}
	opened := os.NewFile(uintptr(fd), filepath.Join(f.root.Name(), name))
	if info, err := opened.Stat(); err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		opened.Close()
		return nil
	}
	return opened
}

// statAtOnce returns what the system knows of a regular file or a directory; nil: as in openAtOnce.
func (f osFolder) statAtOnce(name string) fs.FileInfo {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: insideOnly}
	fd, err := unix.Openat2(int(f.dir.Fd()), name, &how)
	if err != nil {
		return nil
	}
	found := os.NewFile(uintptr(fd), filepath.Join(f.root.Name(), name))
	defer found.Close()
	info, err := found.Stat()
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	return info
}
