package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// disk is where a .ferrus directory is. It is opened for each operation, so that nothing
// is held between two, and a directory that was deleted and made again is noticed.
//
// The store reaches the disk through these interfaces alone, so that a test can
// stop before every write, sync, rename and truncate.
type disk interface {
	open() (folder, error)   // fs.ErrNotExist when there is none
	create() (folder, error) // makes it durably if there is none
}

// folder is an open .ferrus. Names are slash paths below it; no part of them is
// followed when it is a link.
type folder interface {
	io.Closer
	create(name string) (file, error)            // fs.ErrExist when it is there
	open(name string) (file, error)              // to read
	change(name string) (file, error)            // to read and write
	edit(name string) (file, error)              // the same; makes it if there is none
	raw(name string, flag int) (*os.File, error) // for logs and locks, whose content is not guaranteed
	stat(name string) (fs.FileInfo, error)
	list(dir string) ([]string, error) // sorted
	mkdir(name string) error           // fs.ErrExist when it is there
	rename(from, to string) error      // atomic; durable after syncDir of both directories
	link(from, to string) error        // fs.ErrExist when to is there; durable after syncDir
	remove(name string) error          // durable after syncDir
	syncDir(dir string) error          // makes the names in a directory durable
	// runs all of them, in any order or at once, and joins their errors
	together(...func() error) error
	lock(ctx context.Context, name string) (io.Closer, error) // waits until ctx is done
	tryLock(name string) (io.Closer, error)                   // errBusy if another process has it
}

// file is an open file.
type file interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Sync() error // content, size and times; the name needs syncDir
	Truncate(size int64) error
	syncData() error // like Sync, without the times: cheaper where the file only grows
	size() (int64, error)
}

// errBusy says that another process has a lock.
var errBusy = errors.New("locked by another process")

// makeDirs makes a directory and its parents, durably.
func makeDirs(f folder, dir string) error {
	made := ""
	for part := range strings.SplitSeq(dir, "/") {
		above := path.Clean(made)
		made = path.Join(made, part)
		switch err := f.mkdir(made); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return err
		default:
			if err := f.syncDir(above); err != nil {
				return err
			}
		}
	}
	return nil
}

// firstDirs are the directories that are durable before there is a state.
var firstDirs = []string{docsDir, runDir, checksDir, logsDir, archiveDir}

// syncAbove makes the name of a file durable, and the directories that it is in: the
// process that made them may have died before they were. It stops at firstDirs.
func syncAbove(f folder, name string) error {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if err := f.syncDir(dir); err != nil || dir == "." || slices.Contains(firstDirs, dir) {
			return err
		}
	}
}

// readWhole reads a file of at most fileLimit.
func readWhole(f folder, name string) ([]byte, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size, err := file.size()
	if err != nil {
		return nil, err
	}
	if size > fileLimit {
		return nil, fmt.Errorf("read %s: larger than %d MiB", name, fileLimit>>20)
	}
	data := make([]byte, size, size+1)
	n, err := io.ReadFull(file, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil // it became shorter
	}
	return data[:n], err
}

// writeNew makes a new file, with durable content if sync is set. It makes the file's
// directory if there is none, but does not sync it: the name is durable only after the
// caller's syncDir. A file of that name, left by a failed attempt, is replaced.
func writeNew(f folder, name string, data []byte, sync bool) error {
	file, err := f.create(name)
	switch {
	case errors.Is(err, fs.ErrExist):
		err = f.remove(name)
	case errors.Is(err, fs.ErrNotExist):
		err = makeDirs(f, path.Dir(name))
	}
	if err == nil && file == nil {
		file, err = f.create(name)
	}
	if err != nil {
		return err
	}
	if _, err = file.Write(data); err == nil && sync {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		f.remove(name) //nolint:errcheck // it is swept by the next one who opens
	}
	return err
}

// ignoreMissing returns nil for the error of a file that does not exist.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeAny removes a file that may not exist.
func removeAny(f folder, name string) error { return ignoreMissing(f.remove(name)) }

// listAny lists a directory that may not exist.
func listAny(f folder, dir string) ([]string, error) {
	names, err := f.list(dir)
	return names, ignoreMissing(err)
}
