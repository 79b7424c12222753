package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"ferrus/checks/git"
)

// smallest is how many files are worth a worker of their own.
const smallest = 64

// write writes the entries that the walk did not meet.
func (w *Workspace) write(ctx context.Context, g git.Git, root dir, next *record, r *Report) error {
	missing := next.missing()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for part := range slices.Chunk(missing, max(smallest, (len(missing)+workers-1)/workers)) {
		group.Go(func() error { return writeBlobs(ctx, g, root, part, next.files) })
	}
	err := group.Wait()
	if err != nil {
		return err
	}
	restored, err := w.restore(root, next)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(next.files)) {
		if e := next.files[name]; e.mode == git.ModeSubmodule {
			if err := makeEmpty(root, name); err != nil {
				return err
			}
			r.Submodules = append(r.Submodules, name)
		}
	}
	r.Pointers = next.pointers()
	r.Written = len(missing) + restored
	return nil
}

// missing returns the files of the tree that have to be written, in order.
func (r *record) missing() (names []string) {
	for name, e := range r.files {
		if !e.met && e.mode != git.ModeSubmodule {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func makeEmpty(root dir, path string) error {
	d, err := root.descend(path, dir.make)
	if err != nil {
		return err
	}
	return d.Close()
}

// writeBlobs writes files of a tree. Names are sorted, so the files of a directory
// are adjacent.
func writeBlobs(ctx context.Context, g git.Git, root dir, names []string, files entries) error {
	ids := make([]string, len(names))
	for i, name := range names {
		ids[i] = files[name].id
	}
	objects, err := g.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	if err := objects.Ask(ids); err != nil {
		return err
	}
	return eachIn(root, names, func(d dir, name, path string) error {
		e := files[path]
		if err := e.writeBlob(d, name, objects); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		return nil
	})
}

// eachIn calls f with the open directory and the name of each path. A directory stays
// open for the paths in it that come one after another.
func eachIn(root dir, paths []string, f func(d dir, name, path string) error) error {
	for len(paths) > 0 {
		parent, _ := split(paths[0])
		d, err := root.descend(parent, dir.make)
		if err != nil {
			return err
		}
		for len(paths) > 0 && err == nil {
			in, name := split(paths[0])
			if in != parent {
				break
			}
			err = f(d, name, paths[0])
			paths = paths[1:]
		}
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBlob writes one file and records how it was left.
func (e *entry) writeBlob(d dir, name string, objects *git.Objects) error {
	if e.mode == git.ModeLink {
		var target bytes.Buffer
		if err := objects.Read(&target, "blob", e.id); err != nil {
			return err
		}
		return e.place(d, name, func(temporary string) error {
			return unix.Symlinkat(target.String(), d.fd(), temporary)
		})
	}
	perm := uint32(0o644)
	if e.mode == git.ModeExecutable {
		perm = 0o755
	}
	var head prefix
	err := e.place(d, name, func(temporary string) error {
		return create(d, temporary, perm, func(to io.Writer) error {
			return objects.Read(io.MultiWriter(to, &head), "blob", e.id)
		})
	})
	e.pointer = string(head.bytes) == git.PointerPrefix
	return err
}

// prefix keeps the first bytes that are written, as many as an LFS pointer begins with.
type prefix struct{ bytes []byte }

func (p *prefix) Write(b []byte) (int, error) {
	p.bytes = append(p.bytes, b[:min(len(b), len(git.PointerPrefix)-len(p.bytes))]...)
	return len(b), nil
}

// create writes a file that does not exist, with a mode that no umask changes.
func create(d dir, name string, perm uint32, write func(io.Writer) error) error {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd(), name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	})
	if err != nil {
		return &fs.PathError{Op: "create", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	err = write(f)
	if err == nil {
		err = unix.Fchmod(fd, perm)
	}
	return errors.Join(err, f.Close())
}

// place makes a file under a temporary name and gives it its own, in the place of
// whatever has it. What is recorded is how the file is after that: renaming changes the
// change time.
func (e *entry) place(d dir, name string, make func(temporary string) error) error {
	temporary := ".ferrus-" + strconv.Itoa(os.Getpid()) + "-" + shortened(name)
	_ = unix.Unlinkat(d.fd(), temporary, 0) // Of a process that was killed.
	if err := make(temporary); err != nil {
		return err
	}
	err := unix.Renameat(d.fd(), temporary, d.fd(), name)
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
		if err := d.removeAll(name); err != nil {
			return err
		}
		err = unix.Renameat(d.fd(), temporary, d.fd(), name)
	}
	if err != nil {
		return &fs.PathError{Op: "rename", Path: name, Err: err}
	}
	e.stat, _, err = d.stat(name)
	return err
}

// shortened returns a name that has room for a prefix: names end at 255 bytes.
func shortened(name string) string { return name[:min(len(name), 200)] }
