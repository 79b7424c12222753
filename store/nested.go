package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	if err := d.prepare(); errors.Is(err, ErrNone) {
		return nil, d.describeLost(err)
	} else if err != nil {
		return nil, err
	}
	return d, nil
}

// OpenOrCreateIn opens what [CreateIn] made, and makes it first if there is none, or if its
// maker died before there was a state. A state that is missing beside its journal is a
// *[DamagedError].
func OpenOrCreateIn[T, P any](ctx context.Context, parent *Dir[P], name string, first T) (*Dir[T], error) {
	if err := parent.MkdirExclusive(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	d, err := OpenIn[T](parent, name)
	if err == nil || !errors.Is(err, ErrNone) {
		return d, err
	}
	if d, err = within[T](parent, name); err != nil {
		return nil, err
	}
	return d, d.make(ctx, first)
}

// InspectIn opens what [CreateIn] made for diagnosis, as [Inspect] does.
func InspectIn[T, P any](parent *Dir[P], name string) (*Dir[T], error) {
	return within[T](parent, name)
}

// describeLost returns why there is no state: none was begun, or it is gone and the journal
// is there.
func (d *Dir[T]) describeLost(none error) error {
	if journal, _, err := d.Tail(journalName, 1); err != nil || len(journal) == 0 {
		return none
	}
	return d.named(&DamagedError{File: stateName, Why: "it is missing, but its journal exists", Fix: fixRepair})
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
	return &Dir[T]{Files: Files{root: root, disk: osDisk(root), names: nestedFiles,
		heads: parent.heads, headsAt: parent.headsAt}, boot: parent.boot}, nil
}
