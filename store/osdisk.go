package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// osDisk is the real disk: the absolute path of .ferrus.
type osDisk string

// create makes .ferrus, readable for its owner only, and makes its name durable in the
// project.
func (d osDisk) create() (folder, error) {
	switch err := os.Mkdir(string(d), 0o700); {
	case err == nil:
		project, err := os.Open(filepath.Dir(string(d)))
		if err != nil {
			return nil, err
		}
		if err := errors.Join(project.Sync(), project.Close()); err != nil {
			return nil, err
		}
	case !errors.Is(err, fs.ErrExist):
		return nil, err
	}
	return d.open()
}

// open opens the directory after checking that it is ours and no link. It compares the
// two, because a link could be put there in between.
func (d osDisk) open() (folder, error) {
	info, err := os.Lstat(string(d))
	if err != nil {
		return nil, err
	}
	if err := d.checkOwned(info); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	f := osFolder{root: root}
	if f.dir, err = root.Open("."); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	opened, err := f.dir.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = fmt.Errorf("%s was replaced while it was opened: try again", string(d))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkOwned refuses a directory that is a link or belongs to another user.
func (d osDisk) checkOwned(info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link, and ferrus keeps its state in its own directory: remove the link and "+
			"run: ferrus init", string(d))
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: move it away and run: ferrus init", string(d))
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%[1]s belongs to user %[2]d and this is user %[3]d: run ferrus as that user, or take it "+
			"over with: chown -R %[3]d %[1]s",
			string(d), s.Uid, os.Geteuid())
	}
	return nil
}

// osFolder is an open .ferrus. os.Root guarantees that no name leads outside, whatever
// happens to the files meanwhile.
type osFolder struct {
	root *os.Root
	dir  *os.File // the same directory
}

func (f osFolder) Close() error { return errors.Join(f.dir.Close(), f.root.Close()) }

// checkPath refuses a name with a link, a pipe or the like in it. A part that does not
// exist is no error here: opening it reports that.
func (f osFolder) checkPath(name string) error {
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := f.root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		if !info.IsDir() && !info.Mode().IsRegular() {
			return &ReplacedError{filepath.Join(f.root.Name(), name[:i]), kind(info.Mode())}
		}
	}
	return nil
}

// kind names the type of something that is neither a file nor a directory.
func kind(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a link"
	}
	return "not a regular file"
}

// raw opens a file.
func (f osFolder) raw(name string, flag int) (*os.File, error) {
	if opened := f.openAtOnce(name, flag); opened != nil {
		return opened, nil
	}
	if err := f.checkPath(name); err != nil {
		return nil, err
	}
	return f.root.OpenFile(name, flag, 0o600)
}

func (f osFolder) file(name string, flag int) (file, error) {
	opened, err := f.raw(name, flag)
	if err != nil {
		return nil, err
	}
	return osFile{opened}, nil
}

func (f osFolder) create(name string) (file, error) {
	return f.file(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}
func (f osFolder) open(name string) (file, error)   { return f.file(name, os.O_RDONLY) }
func (f osFolder) change(name string) (file, error) { return f.file(name, os.O_RDWR) }
func (f osFolder) edit(name string) (file, error)   { return f.file(name, os.O_RDWR|os.O_CREATE) }

func (f osFolder) stat(name string) (fs.FileInfo, error) {
	if info := f.statAtOnce(name); info != nil {
		return info, nil
	}
	if err := f.checkPath(name); err != nil {
		return nil, err
	}
	return f.root.Lstat(name)
}

func (f osFolder) list(dir string) ([]string, error) {
	opened, err := f.raw(dir, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	entries, err := opened.ReadDir(-1)
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, err
}

func (f osFolder) mkdir(name string) error {
	if err := f.checkPath(name); err != nil {
		return err
	}
	return f.root.Mkdir(name, 0o700)
}

// rename replaces a link at the new name; it does not follow it.
func (f osFolder) rename(from, to string) error {
	if err := errors.Join(f.checkPath(from), f.checkPath(path.Dir(to))); err != nil {
		return err
	}
	return f.root.Rename(from, to)
}

func (f osFolder) link(from, to string) error {
	if err := errors.Join(f.checkPath(from), f.checkPath(path.Dir(to))); err != nil {
		return err
	}
	return f.root.Link(from, to)
}

func (f osFolder) remove(name string) error {
	if err := f.checkPath(path.Dir(name)); err != nil {
		return err
	}
	return f.root.Remove(name)
}

func (f osFolder) syncDir(dir string) error {
	opened, err := f.raw(dir, os.O_RDONLY)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// together runs all at once: a disk syncs several files in little more time than one.
func (f osFolder) together(all ...func() error) error {
	failed := make([]error, len(all))
	var each sync.WaitGroup
	for i, do := range all {
		each.Go(func() { failed[i] = do() })
	}
	each.Wait()
	return errors.Join(failed...)
}

// lock waits for the lock file. A file that was deleted or replaced meanwhile is locked
// for nothing, so the lock is then taken again on the present one.
func (f osFolder) lock(ctx context.Context, name string) (io.Closer, error) {
	for {
		opened, err := f.raw(name, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if err := flock(ctx, opened); err != nil {
			return nil, err
		}
		if err := f.checkReplaced(); err != nil {
			return nil, errors.Join(err, (held{opened}).Close())
		}
		if f.isNamed(name, opened) {
			return held{opened}, nil
		}
		if err := (held{opened}).Close(); err != nil {
			return nil, err
		}
	}
}

// tryLock takes the lock or returns errBusy.
func (f osFolder) tryLock(name string) (io.Closer, error) {
	opened, err := f.raw(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := tryFlock(opened); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return held{opened}, nil
}

// isNamed reports whether a name still names the open file: a lock on a file that was
// deleted excludes no other process.
func (f osFolder) isNamed(name string, opened *os.File) bool {
	now, err := f.stat(name)
	if err != nil {
		return false
	}
	then, err := opened.Stat()
	return err == nil && os.SameFile(now, then)
}

// checkReplaced returns an error if the path no longer names this folder: another process
// may have deleted .ferrus and made it again while this one waited for the lock.
func (f osFolder) checkReplaced() error {
	now, err := os.Lstat(f.root.Name())
	if err != nil {
		return err
	}
	opened, err := f.root.Stat(".")
	if err == nil && !os.SameFile(now, opened) {
		err = fmt.Errorf("%s was replaced: try again", f.root.Name())
	}
	return err
}

// osFile is an open file on the real disk.
type osFile struct{ *os.File }

func (f osFile) syncData() error { return dataSync(f.File) }

func (f osFile) size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
