package home

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSeeded bounds what is copied into a cache, in bytes.
const maxSeeded = 4 << 30

// Seed copies the files of your cache into the cache of a task that has none yet, until
// ctx ends. Where the file system can, the copies share their blocks; they are never the
// same files, because tools rewrite theirs in place. The task may use its cache meanwhile: a
// file appears when it is whole.
//
// The cache is a part of a directory that sessions of the task write: a link that one of them left there on
// the way leads nowhere.
func Seed(ctx context.Context, from, top, below string) error {
	all, err := open(top)
	if err != nil {
		return err
	}
	defer all.Close()
	if _, err := all.Lstat(below); err == nil {
		return nil
	}
	if err := all.MkdirAll(below, 0o700); err != nil {
		return err
	}
	root, err := all.OpenRoot(below)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxSeeded)
	return filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || left <= 0 {
			return fs.SkipAll
		}
		below, err := filepath.Rel(from, name)
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		copied, err := seedFile(root, name, below)
		left -= copied
		return err
	})
}

// seedFile copies a file that is not there yet, and returns how many bytes it has.
func seedFile(root *os.Root, from, to string) (size int64, err error) {
	if _, err := root.Lstat(to); err == nil {
		return 0, nil
	}
	in, err := os.Open(from)
	if err != nil {
		return 0, nil // it was removed meanwhile
	}
	defer in.Close()
	if err := makeDir(root, filepath.Dir(to)); err != nil {
		return 0, err
	}
	const temporary = ".ferrus-new"
	if err := remove(root, temporary); err != nil {
		return 0, err
	}
	out, err := root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return size, err
	}
	return size, root.Rename(temporary, to)
}
