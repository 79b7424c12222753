package store

import (
	"context"
	"fmt"
	"path/filepath"
)

// CreateIn makes a directory below a .ferrus that has a state of its own, with a
// journal beside it, under the same rules; the files of the state are spelled in
// small letters there. The error is fs.ErrExist when the directory is there already.
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

// OpenIn opens what [CreateIn] made. The error is [ErrNone] when there is none.
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

// InspectIn is what [CreateIn] made, as it is: nothing is finished or swept, and it may
// be damaged.
func InspectIn[T, P any](parent *Dir[P], name string) (*Dir[T], error) {
	return within[T](parent, name)
}

// within refuses a way with a link in it.
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
	return &Dir[T]{root: root, disk: osDisk(root), files: nestedFiles}, nil
}
