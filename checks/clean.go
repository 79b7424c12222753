package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// clean removes links and pipes, which ferrus never makes here: a write through a link would go
// somewhere else, and opening a pipe would block. It also removes locks of an index: they belong to a
// git that was killed, because a running one would hold the lock of the directory.
func (p *private) clean() error {
	for _, dir := range []string{"", "info", "refs", "refs/heads", "objects", "objects/info", "objects/pack"} {
		entries, err := os.ReadDir(p.file(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			isLock := dir == "" && strings.HasSuffix(entry.Name(), ".lock")
			if entry.IsDir() || entry.Type().IsRegular() && !isLock {
				continue
			}
			if err := os.Remove(filepath.Join(p.file(dir), entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
