package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/checks/git"
)

// SaveOutput saves what is in the directory besides the tree as what setup made: each
// later update with the same key restores it. Only the output of commands that ran on a
// tree that you trust may be saved, because every later gate starts from it. Sockets,
// pipes and devices are left out, and so are any .git and what Python compiled of files of the
// tree: it takes a source of the same size and second for the compiled one.
func (w *Workspace) SaveOutput(ctx context.Context) error {
	if err := w.saveOutput(ctx); err != nil {
		return fmt.Errorf("save what setup made in %s: %w", w.dir, err)
	}
	return nil
}

func (w *Workspace) saveOutput(ctx context.Context) error {
	root, err := w.open()
	if err != nil {
		return err
	}
	defer root.Close()
	r, err := w.load(root)
	if err != nil {
		return err
	}
	r.kept, r.Empty = nil, nil
	extra, err := w.walk(ctx, root, &r, &record{files: r.files})
	if err != nil {
		return err
	}
	if err := os.RemoveAll(w.pristine()); err != nil {
		return err
	}
	if err := os.MkdirAll(w.pristine(), 0o700); err != nil {
		return err
	}
	to, err := openDir(w.pristine())
	if err != nil {
		return err
	}
	defer to.Close()
	k := collector{ctx: ctx, to: to, tree: r.files, kept: entries{}}
	for _, path := range extra {
		parent, name := split(path)
		d, err := root.descend(parent, dir.open)
		if err != nil {
			return err
		}
		err = k.collect(d, name, path)
		d.Close()
		if err != nil {
			return err
		}
	}
	r.kept, r.Empty, r.Complete = k.kept, k.empty, true
	return w.save(root, &r)
}

// collector copies what setup made.
type collector struct {
	ctx   context.Context
	to    dir
	tree  entries
	kept  entries
	empty []string
}

// isCompiled reports whether a file is what Python compiled of a file of the tree.
func (k *collector) isCompiled(name string) bool {
	dir, base := path.Split(name)
	if path.Ext(base) != ".pyc" {
		return false
	}
	module, _, _ := strings.Cut(base, ".")
	return k.tree[strings.TrimSuffix(dir, "__pycache__/")+module+".py"] != nil
}

// collect copies a name in a directory with all that is below it.
func (k *collector) collect(d dir, name, path string) error {
	if err := k.ctx.Err(); err != nil {
		return err
	}
	s, kind, err := d.stat(name)
	if errors.Is(err, fs.ErrNotExist) || !isSafe(name) || k.isCompiled(path) {
		return nil
	}
	if err != nil {
		return err
	}
	switch kind {
	case unix.S_IFDIR:
		return k.collectDir(d, name, path)
	case unix.S_IFLNK:
		target, err := readlink(d, name)
		k.kept[path] = &entry{mode: git.ModeLink, id: target, kept: true, stat: s}
		return err
	case unix.S_IFREG:
		return k.collectFile(d, name, path, s)
	}
	return nil
}

func (k *collector) collectDir(d dir, name, path string) error {
	sub, err := d.open(name)
	if err != nil {
		return err
	}
	defer sub.Close()
	names, err := sub.names()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		k.empty = append(k.empty, path)
	}
	for _, name := range names {
		if err := k.collect(sub, name, path+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// collectFile copies a file, and keeps its hash and its mode.
func (k *collector) collectFile(d dir, name, path string, s stat) error {
	from, err := openFile(d, name)
	if err != nil {
		return err
	}
	defer from.Close()
	parent, base := split(path)
	to, err := k.to.descend(parent, dir.make)
	if err != nil {
		return err
	}
	defer to.Close()
	sum, err := copyFile(from, to, base, 0o600)
	k.kept[path] = &entry{mode: s.perm & 0o7777, id: sum, kept: true, stat: s}
	return err
}

// copyFile makes a copy with a mode and returns the SHA-256 of what it holds, in hex. The
// copy has the modification time of the file: build tools compare it with the times of
// their inputs.
func copyFile(from *os.File, to dir, name string, perm uint32) (sum string, err error) {
	info, err := from.Stat()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	err = create(to, name, perm, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, hash), from)
		return err
	})
	if err == nil {
		err = setTime(to, name, info.ModTime())
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// openFile opens a regular file for reading.
func openFile(d dir, name string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

func readlink(d dir, name string) (string, error) {
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(d.fd(), name, buffer)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(buffer[:n]), nil
}

func setTime(d dir, name string, at time.Time) error {
	stamp, err := unix.TimeToTimespec(at)
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(d.fd(), name, []unix.Timespec{stamp, stamp}, unix.AT_SYMLINK_NOFOLLOW)
}

// restore writes what was saved and is missing or changed; it returns how many files
// that were. The copy is believed for its hash alone.
func (w *Workspace) restore(root dir, next *record) (count int, err error) {
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(next.kept)) {
		if !next.kept[name].met {
			missing = append(missing, name)
		}
	}
	for _, path := range next.Empty {
		if err := makeEmpty(root, path); err != nil {
			return 0, err
		}
	}
	return len(missing), eachIn(root, missing, func(d dir, name, path string) error {
		if err := next.kept[path].restore(d, name, filepath.Join(w.pristine(), filepath.FromSlash(path))); err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
		return nil
	})
}

// ErrCopy means that the copy of what setup made was changed. The next update starts from
// an empty directory, and setup has to run again.
var ErrCopy = errors.New("its copy differs from what setup created")

func (e *entry) restore(d dir, name, copied string) error {
	if e.mode == git.ModeLink {
		return e.place(d, name, func(temporary string) error { return unix.Symlinkat(e.id, d.fd(), temporary) })
	}
	from, err := os.Open(copied)
	if err != nil {
		return err
	}
	defer from.Close()
	return e.place(d, name, func(temporary string) error {
		sum, err := copyFile(from, d, temporary, e.mode)
		if err == nil && sum != e.id {
			err = ErrCopy
		}
		return err
	})
}

// holds reports whether a file of the tree holds what it did, by its content.
func (d dir) holds(path string, e *entry) (bool, error) {
	if e.mode == git.ModeSubmodule {
		return true, nil
	}
	parent, name := split(path)
	at, err := d.descend(parent, dir.open)
	if err != nil {
		return false, nil // A directory is gone, or something else has its name.
	}
	defer at.Close()
	s, kind, err := at.stat(name)
	switch {
	case err != nil:
		return false, nil
	case e.mode == git.ModeLink:
		target, err := readlink(at, name)
		sum := git.Hasher(e.id, "blob", int64(len(target)))
		_, _ = io.WriteString(sum, target)
		return err == nil && hex.EncodeToString(sum.Sum(nil)) == e.id, nil
	case kind != unix.S_IFREG || s.perm&unix.S_IRUSR == 0 || (s.perm&0o111 != 0) != (e.mode == git.ModeExecutable):
		return false, nil
	}
	f, err := openFile(at, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	sum := git.Hasher(e.id, "blob", s.size)
	if _, err := io.Copy(sum, f); err != nil {
		return false, err
	}
	return hex.EncodeToString(sum.Sum(nil)) == e.id, nil
}
