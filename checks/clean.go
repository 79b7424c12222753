package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// clean removes links and pipes, which ferrus never makes here: a write through a link would go
// somewhere else, and opening a pipe would block. It also removes locks of an index: they belong to a
// git that was killed, because a running one would hold the lock of the directory; and the oldest indexes of
// worktrees, which may be gone.
func (p *private) clean() error {
	for _, dir := range []string{"", "info", "refs", "refs/heads", "objects", "objects/info", "objects/pack"} {
		entries, err := os.ReadDir(p.file(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if dir == "" {
			if err := p.cleanIndexes(entries); err != nil {
				return err
			}
		}
		for _, entry := range entries {
			isLock := dir == "" && strings.HasSuffix(entry.Name(), ".lock")
			if entry.IsDir() || entry.Type().IsRegular() && !isLock {
				continue
			}
			err := os.Remove(filepath.Join(p.file(dir), entry.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// cleanIndexes removes what is too much of the files that worktrees have of their own.
func (p *private) cleanIndexes(entries []fs.DirEntry) error {
	var all []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.Contains(entry.Name(), worktreeMark) {
			all = append(all, info)
		}
	}
	if len(all) <= 2*indexCount { // an index and an untracked cache for each
		return nil
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range all[:len(all)-2*indexCount] {
		if err := os.RemoveAll(p.file(info.Name())); err != nil {
			return err
		}
	}
	return nil
}
