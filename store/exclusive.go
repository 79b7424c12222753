package store

import (
	"fmt"
	"path"
)

// MkdirExclusive makes a directory below .ferrus, durably, and the directories above it.
// Of several callers one succeeds; the error of the others is fs.ErrExist.
func (d *Files) MkdirExclusive(dir string) error {
	err := d.with(dir, func(f folder) error {
		if err := makeDirs(f, path.Dir(dir)); err != nil {
			return err
		}
		if err := f.mkdir(dir); err != nil {
			return err
		}
		return syncAbove(f, dir)
	})
	if err != nil {
		return fmt.Errorf("claim %s: %w", dir, d.named(err))
	}
	return nil
}
