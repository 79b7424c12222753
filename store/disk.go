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

// disk is where a .ferrus lives. It is opened for each operation, so that
// nothing is held between two, and one that was made anew is seen.
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
	edit(name string) (file, error)              // to read and write, made if it is not there
	raw(name string, flag int) (*os.File, error) // for logs and locks, whose content is promised to nobody
	stat(name string) (fs.FileInfo, error)
	list(dir string) ([]string, error) // sorted
	mkdir(name string) error           // fs.ErrExist when it is there
	rename(from, to string) error
	remove(name string) error
	syncDir(dir string) error
	together(...func() error) error // all of them, in any order or at once
	lock(ctx context.Context, name string) (io.Closer, error)
	tryLock(name string) (io.Closer, error) // errBusy when another has it
}

// file is an open file.
type file interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
	syncData() error // the content and the size, not the times
	size() (int64, error)
}

// errBusy says that another process has a lock.
var errBusy = errors.New("locked by another process")

// makeDirs makes a directory and those above it durably.
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

// syncAbove makes the name of a file durable, and the directories that it is in:
// who made them may have died before they were.
func syncAbove(f folder, name string) error {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if err := f.syncDir(dir); err != nil || dir == "." || slices.Contains(firstDirs, dir) {
			return err
		}
	}
}

// readWhole reads a file that is small by nature.
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

// writeNew makes a new file, durable when sync is set; its directory is made
// when there is none, and is not synced. What an earlier try left under the name
// is in its way.
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

// ignoreMissing is for what may be gone.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeAny removes a file that may be gone.
func removeAny(f folder, name string) error { return ignoreMissing(f.remove(name)) }

// listAny lists a directory that may be gone.
func listAny(f folder, dir string) ([]string, error) {
	names, err := f.list(dir)
	return names, ignoreMissing(err)
}
