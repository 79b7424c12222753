package store

import (
	"fmt"
	"path"
)

// MkdirExclusive makes a directory below .ferrus, durably, for who is first: the error is
// fs.ErrExist when it is there already. It makes the directories above it.
func (d *Dir[T]) MkdirExclusive(dir string) error {
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
