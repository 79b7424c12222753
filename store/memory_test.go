package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// memory is a disk that loses what was not synced. It counts what it is asked
// to change, and stops before one of these steps.
type memory struct {
	top     *node // the project; .ferrus is in it
	pending []change
	n       int
	at      int // the step that fails, from 1
	sticky  bool
	fail    error                      // the step returns this; nil: the process dies before it
	ignore  func(op, name string) bool // syncs that do nothing, for the tests of the test
}

// node is a file or a directory.
type node struct {
	dir           bool
	live, durable map[string]*node // of a directory
	data, synced  []byte           // of a file
	unsynced      []edit
}

// edit is one change of a file's content.
type edit struct {
	offset int
	data   []byte
	cut    bool // to offset
}

// change is one change of directories; a rename is one, as file systems have it.
type change struct {
	dir, from  *node // from: of a rename, the directory it left
	name, left string
	target     *node // nil: removed
}

// died is what a process panics with when it is stopped.
type died struct{}

func newMemory() *memory { return &memory{top: newFolder(), at: -1} }

func newFolder() *node {
	return &node{dir: true, live: map[string]*node{}, durable: map[string]*node{}}
}

func (m *memory) step() error {
	m.n++
	if m.n != m.at && (!m.sticky || m.n < m.at) || m.at < 0 {
		return nil
	}
	if m.fail != nil {
		return m.fail
	}
	panic(died{})
}

func (e edit) apply(data []byte) []byte {
	if e.cut {
		return slices.Clone(data[:min(e.offset, len(data))])
	}
	if grow := e.offset + len(e.data) - len(data); grow > 0 {
		data = append(slices.Clone(data), make([]byte, grow)...)
	} else {
		data = slices.Clone(data)
	}
	copy(data[e.offset:], e.data)
	return data
}

func (c change) apply(entries func(*node) map[string]*node) {
	if c.from != nil {
		delete(entries(c.from), c.left)
	}
	if c.target == nil {
		delete(entries(c.dir), c.name)
	} else {
		entries(c.dir)[c.name] = c.target
	}
}

func (m *memory) do(c change) {
	c.apply(func(n *node) map[string]*node { return n.live })
	m.pending = append(m.pending, c)
}

// lose is a disk after the power went: what was synced, and of the rest what
// chance leaves.
func (m *memory) lose(rng *rand.Rand) *memory {
	next := m.clone()
	keep := rng.Float64() // also all and nothing, nearly
	if rng.IntN(4) == 0 {
		keep = float64(rng.IntN(2))
	}
	for _, c := range next.pending {
		if rng.Float64() < keep {
			c.apply(func(n *node) map[string]*node { return n.durable })
		}
	}
	next.pending = nil
	next.top.lose(rng, keep, map[*node]bool{})
	return next
}

func (n *node) lose(rng *rand.Rand, keep float64, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if n.dir {
		n.live = maps.Clone(n.durable)
		for _, name := range slices.Sorted(maps.Keys(n.live)) {
			n.live[name].lose(rng, keep, seen)
		}
		return
	}
	data := n.synced
	for _, e := range n.unsynced {
		if rng.Float64() >= keep {
			if !e.cut { // a part of it, or a hole where it was
				e.data = slices.Clone(e.data[:rng.IntN(len(e.data)+1)])
				if rng.IntN(3) == 0 && len(e.data) > 0 {
					clear(e.data[:rng.IntN(len(e.data))])
				}
				data = e.apply(data)
			}
			break
		}
		data = e.apply(data)
	}
	n.data, n.synced, n.unsynced = slices.Clone(data), slices.Clone(data), nil
}

// clone is the same disk, as another process finds it when the first is killed.
func (m *memory) clone() *memory {
	copies := map[*node]*node{}
	next := &memory{at: -1, top: m.top.clone(copies), ignore: m.ignore}
	for _, c := range m.pending {
		c.dir, c.from, c.target = c.dir.clone(copies), c.from.clone(copies), c.target.clone(copies)
		next.pending = append(next.pending, c)
	}
	return next
}

func (n *node) clone(copies map[*node]*node) *node {
	if n == nil {
		return nil
	}
	if c := copies[n]; c != nil {
		return c
	}
	c := &node{dir: n.dir, data: slices.Clone(n.data), synced: slices.Clone(n.synced), unsynced: slices.Clone(n.unsynced)}
	copies[n] = c
	if n.dir {
		c.live, c.durable = map[string]*node{}, map[string]*node{}
		for name, child := range n.live {
			c.live[name] = child.clone(copies)
		}
		for name, child := range n.durable {
			c.durable[name] = child.clone(copies)
		}
	}
	return c
}

func (m *memory) create() (folder, error) {
	if m.top.live[".ferrus"] == nil {
		if err := m.step(); err != nil {
			return nil, err
		}
		m.do(change{dir: m.top, name: ".ferrus", target: newFolder()})
	}
	if err := m.syncNode(m.top, "project", ".."); err != nil {
		return nil, err
	}
	return m.open()
}

func (m *memory) open() (folder, error) {
	if m.top.live[".ferrus"] == nil {
		return nil, fs.ErrNotExist
	}
	return memoryFolder{m, m.top.live[".ferrus"]}, nil
}

func (m *memory) syncNode(dir *node, op, name string) error {
	if err := m.step(); err != nil {
		return err
	}
	if m.ignore != nil && m.ignore(op, name) {
		return nil
	}
	m.pending = slices.DeleteFunc(m.pending, func(c change) bool {
		if c.dir == dir {
			c.apply(func(n *node) map[string]*node { return n.durable })
		}
		return c.dir == dir
	})
	return nil
}

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
	if err := f.link(name, &node{}); err != nil {
		return nil, err
	}
	return f.open(name)
}

func (f memoryFolder) link(name string, n *node) error {
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
	return f.link(name, newFolder())
}

func (f memoryFolder) rename(from, to string) error {
	n := f.find(from)
	if n == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if err := f.m.step(); err != nil {
		return err
	}
	f.m.do(change{dir: f.find(path.Dir(to)), name: path.Base(to), target: n, from: f.find(path.Dir(from)), left: path.Base(from)})
	return nil
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
