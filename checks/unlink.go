package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// unlink takes links and pipes away, which ferrus never makes here: what is written
// through one would be written somewhere else, and a pipe is waited for.
func (p *private) unlink() error {
	for _, dir := range []string{"", "info", "refs", "refs/heads", "objects", "objects/info", "objects/pack"} {
		entries, err := os.ReadDir(p.file(dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || entry.Type().IsRegular() {
				continue
			}
			if err := os.Remove(filepath.Join(p.file(dir), entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
