package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// dir is an open directory. Its methods take names, never paths, and follow no link.
type dir struct{ *os.File }

// openDir opens a directory by its path.
func openDir(path string) (dir, error) {
	return opened(unix.AT_FDCWD, path)
}

// openAnyway opens a directory, even one whose mode shuts us out.
func openAnyway(parent int, name string) (dir, error) {
	d, err := opened(parent, name)
	if errors.Is(err, fs.ErrPermission) {
		if err := unix.Fchmodat(parent, name, 0o700, 0); err != nil {
			return dir{}, &fs.PathError{Op: "chmod", Path: name, Err: err}
		}
		return opened(parent, name)
	}
	return d, err
}

func opened(parent int, name string) (dir, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return dir{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return dir{os.NewFile(uintptr(fd), name)}, nil
}

// retry repeats a system call that a signal interrupted.
func retry[T any](call func() (T, error)) (T, error) {
	for {
		if v, err := call(); !errors.Is(err, unix.EINTR) {
			return v, err
		}
	}
}

func (d dir) fd() int { return int(d.Fd()) }

// open opens a directory in d, whatever its mode.
func (d dir) open(name string) (dir, error) { return openAnyway(d.fd(), name) }

// make opens a directory in d, which takes the place of whatever else has its name.
func (d dir) make(name string) (dir, error) {
	for range 3 { // Another worker may make the same one.
		err := unix.Mkdirat(d.fd(), name, 0o755)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return dir{}, &fs.PathError{Op: "mkdir", Path: name, Err: err}
		}
		made := err == nil
		sub, err := d.open(name)
		if err == nil && made {
			err = unix.Fchmod(sub.fd(), 0o755) // Whatever the umask is.
		}
		if err == nil {
			return sub, nil
		}
		if !errors.Is(err, unix.ENOTDIR) && !errors.Is(err, unix.ELOOP) && !errors.Is(err, unix.ENOENT) {
			return dir{}, err
		}
		_ = unix.Unlinkat(d.fd(), name, 0) // A link or a file; what is left of it shows in the next turn.
	}
	return dir{}, &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
}

// descend opens the directory at a path below d, with a step from each directory to the
// next: [dir.open], or [dir.make] to make what is missing.
func (d dir) descend(path string, step func(at dir, name string) (dir, error)) (dir, error) {
	at, err := opened(d.fd(), ".")
	if path == "" {
		return at, err
	}
	for name := range strings.SplitSeq(path, "/") {
		if err != nil {
			break
		}
		var sub dir
		sub, err = step(at, name)
		at.Close()
		at = sub
	}
	return at, err
}

// stat looks at a name itself, not at what it links to.
func (d dir) stat(name string) (s stat, mode uint32, err error) {
	var st unix.Stat_t
	_, err = retry(func() (struct{}, error) {
		return struct{}{}, unix.Fstatat(d.fd(), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return s, 0, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return statOf(&st), uint32(st.Mode) & unix.S_IFMT, nil
}

func statOf(st *unix.Stat_t) stat {
	return stat{ino: st.Ino, ctime: st.Ctim.Nano(), size: st.Size, perm: uint32(st.Mode), nlink: uint64(st.Nlink)}
}

// identity returns the device and the inode of the directory.
func (d dir) identity() (device, inode uint64, err error) {
	st, err := d.status()
	return uint64(st.Dev), st.Ino, err
}

// status returns what the system knows of it.
func (d dir) status() (st unix.Stat_t, err error) {
	if err := unix.Fstat(d.fd(), &st); err != nil {
		return st, &fs.PathError{Op: "stat", Path: d.Name(), Err: err}
	}
	return st, nil
}

// names returns what is in the directory, unsorted.
func (d dir) names() ([]string, error) {
	if _, err := d.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return d.Readdirnames(-1)
}

// empty removes everything in the directory.
func (d dir) empty() error {
	names, err := d.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.removeAll(name); err != nil {
			return err
		}
	}
	return nil
}

// RemoveAll removes a file or a directory with all that is below it, whatever its mode. It
// follows no link.
func RemoveAll(path string) error {
	parent, err := openDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.removeAll(filepath.Base(path))
}

// removeAll removes a name with all that is below it, whatever its mode.
func (d dir) removeAll(name string) error {
	r := removal{top: d}
	for {
		if err := r.remove(d, name, 0); err != nil || r.lifted == 0 {
			return err
		}
		r.lifted = 0
	}
}

// deepest is how many directories a removal has open at a time. A program may leave more of them in each other than a
// process can have open.
const deepest = 64

// removal removes a tree. What is deeper than it goes is moved up to the first directory of the tree, which is removed
// once more.
type removal struct {
	top    dir // the first directory of the tree, below depth 0
	lifted int // directories that were moved there
}

func (r *removal) remove(d dir, name string, depth int) error {
	err := unix.Unlinkat(d.fd(), name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	sub, openErr := d.open(name)
	if errors.Is(openErr, fs.ErrNotExist) {
		return nil // Another process removed it.
	}
	if openErr != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	defer sub.Close()
	if err := unix.Fchmod(sub.fd(), 0o700); err != nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	if depth == deepest {
		return r.lift(d, name)
	}
	if depth == 0 {
		r.top = sub
	}
	names, err := sub.names()
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // Another process may remove the same.
		return err
	}
	for _, name := range names {
		if err := r.remove(sub, name, depth+1); err != nil {
			return err
		}
	}
	if depth == 0 && r.lifted > 0 {
		return nil
	}
	if err := unix.Unlinkat(d.fd(), name, unix.AT_REMOVEDIR); err != nil && !errors.Is(err, unix.ENOENT) {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// lift moves a directory to the first one, under a name that is free there.
func (r *removal) lift(d dir, name string) error {
	for n := 0; ; n++ {
		err := unix.Renameat(d.fd(), name, r.top.fd(), fmt.Sprintf(".lifted-%d", n))
		taken := errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.ENOTDIR)
		switch {
		case err == nil:
			r.lifted++
			return nil
		case errors.Is(err, unix.ENOENT):
			return nil // Another process removed it.
		case !taken:
			return &fs.PathError{Op: "move", Path: name, Err: err}
		}
	}
}

// remove removes paths below the directory with all that is below them.
func (d dir) remove(paths []string) error {
	for _, path := range paths {
		parent, name := split(path)
		at, err := d.descend(parent, dir.open)
		if err != nil {
			return err
		}
		err = at.removeAll(name)
		at.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// split returns the directory and the name of a path, both without the slash between.
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// join is the reverse of split.
func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "/" + name
}
