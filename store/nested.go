package store

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
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
	return &Dir[T]{root: root, disk: smallDisk{osDisk(root)}}, nil
}

// smallDisk spells the files of a state in small letters.
type smallDisk struct{ disk }

func (d smallDisk) open() (folder, error)   { return small(d.disk.open()) }
func (d smallDisk) create() (folder, error) { return small(d.disk.create()) }

func small(f folder, err error) (folder, error) {
	if err != nil {
		return nil, err
	}
	return smallFolder{f}, nil
}

type smallFolder struct{ folder }

// spelled is how a file is called on such a disk.
func spelled(name string) string {
	switch name {
	case stateName:
		return "state.json"
	case tempState:
		return "state.json.tmp"
	case lockName:
		return "state.lock"
	}
	return name
}

func (f smallFolder) create(name string) (file, error)      { return f.folder.create(spelled(name)) }
func (f smallFolder) open(name string) (file, error)        { return f.folder.open(spelled(name)) }
func (f smallFolder) edit(name string) (file, error)        { return f.folder.edit(spelled(name)) }
func (f smallFolder) stat(name string) (fs.FileInfo, error) { return f.folder.stat(spelled(name)) }
func (f smallFolder) rename(from, to string) error {
	return f.folder.rename(spelled(from), spelled(to))
}
func (f smallFolder) remove(name string) error               { return f.folder.remove(spelled(name)) }
func (f smallFolder) tryLock(name string) (io.Closer, error) { return f.folder.tryLock(spelled(name)) }
func (f smallFolder) raw(name string, flag int) (*os.File, error) {
	return f.folder.raw(spelled(name), flag)
}
func (f smallFolder) lock(ctx context.Context, name string) (io.Closer, error) {
	return f.folder.lock(ctx, spelled(name))
}
