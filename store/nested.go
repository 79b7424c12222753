package store

import (
	"context"
	"fmt"
	"path/filepath"
)

// CreateIn makes a directory below a .ferrus that has its own state and journal, under
// the same rules; there the files of the state are in small letters. The error is
// fs.ErrExist if the directory exists. A crash can leave the directory without a state.
func CreateIn[T, P any](ctx context.Context, parent *Dir[P], name string, first T) (*Dir[T], error) {
	if err := parent.MkdirExclusive(name); err != nil {
		return nil, err
	}
	d, err := within[T](parent, name)
	if err != nil {
		return nil, err
	}
	if err := d.make(ctx, first); err != nil {
		return nil, err
	}
	return d, nil
}

// OpenIn opens what [CreateIn] made. The error is [ErrNone] if there is no state.
func OpenIn[T, P any](parent *Dir[P], name string) (*Dir[T], error) {
	d, err := within[T](parent, name)
	if err != nil {
		return nil, err
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	return d, nil
}

// InspectIn opens what [CreateIn] made for diagnosis, as [Inspect] does.
func InspectIn[T, P any](parent *Dir[P], name string) (*Dir[T], error) {
	return within[T](parent, name)
}

// within returns the nested directory, unless its path contains a link.
func within[T, P any](parent *Dir[P], name string) (*Dir[T], error) {
	if err := checkFree(name); err != nil {
		return nil, err
	}
	f, err := parent.open()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	defer f.Close()
	root := filepath.Join(parent.root, filepath.FromSlash(name))
	if _, err := f.stat(name); err != nil {
		return nil, fmt.Errorf("open %s: %w", name, parent.named(err))
	}
	return &Dir[T]{root: root, disk: osDisk(root), files: nestedFiles, heads: parent.heads, headsAt: parent.headsAt,
		boot: parent.boot}, nil
}
