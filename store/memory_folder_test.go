package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// memoryFolder is .ferrus on a memory disk.
type memoryFolder struct {
	m    *memory
	root *node
}

func (f memoryFolder) Close() error { return nil }

func (f memoryFolder) find(name string) *node {
	n := f.root
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n == nil || !n.dir {
			return nil
		}
		n = n.live[part]
	}
	return n
}

func (f memoryFolder) open(name string) (file, error) {
	n := f.find(name)
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &memoryFile{m: f.m, n: n, name: name}, nil
}

func (f memoryFolder) create(name string) (file, error) {
	if f.find(name) != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	if err := f.enter(name, &node{}); err != nil {
		return nil, err
	}
	return f.open(name)
}

func (f memoryFolder) enter(name string, n *node) error {
	dir := f.find(path.Dir(name))
	if dir == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrNotExist}
	}
	if err := f.m.step(); err != nil {
		return err
	}
	f.m.do(change{dir: dir, name: path.Base(name), target: n})
	return nil
}

func (f memoryFolder) change(name string) (file, error) { return f.open(name) }

func (f memoryFolder) edit(name string) (file, error) {
	if f.find(name) == nil {
		return f.create(name)
	}
	return f.open(name)
}

func (f memoryFolder) mkdir(name string) error {
	if f.find(name) != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	return f.enter(name, newFolder())
}

func (f memoryFolder) rename(from, to string) error {
	n := f.find(from)
	if n == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if f.find(path.Dir(to)) == nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrNotExist}
	}
	if err := f.m.step(); err != nil {
		return err
	}
	f.m.do(change{dir: f.find(path.Dir(to)), name: path.Base(to), target: n, from: f.find(path.Dir(from)),
		left: path.Base(from)})
	return nil
}

func (f memoryFolder) link(from, to string) error {
	n := f.find(from)
	if n == nil {
		return &fs.PathError{Op: "link", Path: from, Err: fs.ErrNotExist}
	}
	return f.enter(to, n)
}

func (f memoryFolder) remove(name string) error {
	if f.find(name) == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	if err := f.m.step(); err != nil {
		return err
	}
	f.m.do(change{dir: f.find(path.Dir(name)), name: path.Base(name)})
	return nil
}

func (f memoryFolder) list(dir string) ([]string, error) {
	n := f.find(dir)
	if n == nil {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
	}
	return slices.Sorted(maps.Keys(n.live)), nil
}

func (f memoryFolder) syncDir(dir string) error {
	n := f.find(dir)
	if n == nil {
		return &fs.PathError{Op: "sync", Path: dir, Err: fs.ErrNotExist}
	}
	return f.m.syncNode(n, "directory", dir)
}

func (f memoryFolder) stat(name string) (fs.FileInfo, error) {
	n := f.find(name)
	if n == nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return memoryInfo{n, path.Base(name)}, nil
}

// together goes by turns through the orders: each of them must do.
func (f memoryFolder) together(all ...func() error) error {
	f.m.turn++
	for i := range all {
		if err := all[(i+f.m.turn)%len(all)](); err != nil {
			return err
		}
	}
	return nil
}

func (f memoryFolder) lock(context.Context, string) (io.Closer, error) { return io.NopCloser(nil), nil }
func (f memoryFolder) tryLock(string) (io.Closer, error)               { return io.NopCloser(nil), nil }
func (f memoryFolder) raw(string, int) (*os.File, error)               { return nil, errors.ErrUnsupported }

type memoryInfo struct {
	n    *node
	name string
}

func (i memoryInfo) Name() string       { return i.name }
func (i memoryInfo) Size() int64        { return int64(len(i.n.data)) }
func (i memoryInfo) IsDir() bool        { return i.n.dir }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) Sys() any           { return nil }
func (i memoryInfo) Mode() fs.FileMode {
	if i.n.dir {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

// memoryFile is an open file on a memory disk.
type memoryFile struct {
	m      *memory
	n      *node
	name   string
	offset int
}

func (f *memoryFile) Close() error         { return nil }
func (f *memoryFile) size() (int64, error) { return int64(len(f.n.data)), nil }

func (f *memoryFile) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, int64(f.offset))
	f.offset += n
	if n > 0 {
		err = nil
	}
	return n, err
}

func (f *memoryFile) ReadAt(p []byte, offset int64) (int, error) {
	n := copy(p, f.n.data[min(int(offset), len(f.n.data)):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memoryFile) Write(p []byte) (int, error) { return f.WriteAt(p, int64(len(f.n.data))) }

// WriteAt writes a part when the step fails, as a full disk does.
func (f *memoryFile) WriteAt(p []byte, offset int64) (int, error) {
	err := f.m.step()
	if err != nil {
		p = p[:len(p)/2]
	}
	f.change(edit{offset: int(offset), data: slices.Clone(p)})
	return len(p), err
}

func (f *memoryFile) Truncate(size int64) error {
	if err := f.m.step(); err != nil {
		return err
	}
	f.change(edit{offset: int(size), cut: true})
	return nil
}

func (f *memoryFile) change(e edit) {
	f.n.data = e.apply(f.n.data)
	f.n.unsynced = append(f.n.unsynced, e)
}

func (f *memoryFile) Sync() error     { return f.sync("file") }
func (f *memoryFile) syncData() error { return f.sync("data") }

func (f *memoryFile) sync(op string) error {
	if err := f.m.step(); err != nil {
		return err
	}
	if f.m.ignore == nil || !f.m.ignore(op, f.name) {
		f.n.synced, f.n.unsynced = slices.Clone(f.n.data), nil
	}
	return nil
}

// memoryHeads is the directory of the heads on a memory disk.
type memoryHeads struct{ m *memory }

func (h memoryHeads) open() (folder, error) {
	if h.m.top.live["heads"] == nil {
		return nil, fs.ErrNotExist
	}
	return memoryFolder{h.m, h.m.top.live["heads"]}, nil
}

func (h memoryHeads) create() (folder, error) {
	if h.m.top.live["heads"] == nil {
		if err := h.m.step(); err != nil {
			return nil, err
		}
		h.m.do(change{dir: h.m.top, name: "heads", target: newFolder()})
	}
	if err := h.m.syncNode(h.m.top, "project", ".."); err != nil {
		return nil, err
	}
	return h.open()
}
