// Package workspace keeps a directory equal to a tree object of git, for commands
// that must run on exactly that tree.
//
// [Workspace.Update] makes the directory equal to a tree by difference: it removes
// what does not belong to the tree, and writes what is missing or changed.
// [Workspace.Changed] lists what the commands changed. The caller makes what git
// ignores and the commands need in the directory, once per key, and saves it with
// [Workspace.SaveOutput]; later updates restore it.
//
// The commands that run in the directory are not trusted, so the name, size and time
// of a file prove nothing:
//
//   - Every file is written as a new inode, under a name that did not exist, and hashed
//     against its object id while it is written. An object whose content does not match
//     its name is an error.
//   - Its inode, change time, size, mode and number of links are recorded. Without
//     root no process can change a file and leave all of them unchanged, except by
//     writing through a mapping that was made before; a process that has one does not
//     outlive its gate.
//   - A file whose record differs is replaced, never read: a process that still has
//     it open may change it again.
//   - A file that changed in the tick of the file system's clock in which the record was
//     made counts as unknown: it could change once more without another change time.
//
// The record is stored outside the directory. If it is lost, damaged, or from
// another device, boot or clock, the directory is emptied and rewritten.
//
// No link is followed: every name is opened relative to its open parent. Git's own files
// are never written (no .git in any spelling). A submodule has its files if its commit is
// among the objects, and is an empty directory otherwise. LFS pointers stay pointers.
// [Report] lists both.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ferrus/checks/git"
)

// Workspace is a directory and what is known of it. Only one process may use it at a
// time; the lock is the caller's.
type Workspace struct {
	dir   string // the files
	state string // the record and the copy of what was kept
	stamp func(*os.File, dir) (int64, error)
	// GitFile is the content of the file .git at the top, which no tree can have; empty: there is none.
	GitFile string
}

// In returns the workspace in a directory. The state lies in another one, which must not
// be below it. Both are made when they are needed.
func In(dir, state string) *Workspace { return &Workspace{dir: dir, state: state, stamp: stampOf} }

// Dir returns the directory that commands run in.
func (w *Workspace) Dir() string { return w.dir }

// Report is what an update found and did.
type Report struct {
	Files      int  // in the tree
	Written    int  // of them, and of what was kept
	Removed    int  // files and whole directories that did not belong there
	Anew       bool // the directory was emptied first
	Kept       int  // files that SaveOutput saved, and that are there again
	NeedsSetup bool // nothing is kept for this key: run setup, then call SaveOutput

	Listed     []git.TreeEntry // what the tree itself has, in order of the paths
	Pointers   []string        // files that are pointers to LFS objects, in order
	Submodules []string        // empty, because their commits are missing; in order
}

// Update makes the directory equal to a tree, plus what was kept for the key. What was
// kept for another key is forgotten. The objects are read with g. An error leaves a
// directory that is not to be used; the next call puts it right.
func (w *Workspace) Update(ctx context.Context, g git.Git, tree, key string) (Report, error) {
	r, err := w.update(ctx, g, tree, key)
	if err != nil {
		return r, fmt.Errorf("bring %s to tree %s: %w", w.dir, tree, err)
	}
	return r, nil
}

func (w *Workspace) update(ctx context.Context, g git.Git, tree, key string) (r Report, err error) {
	if r.Listed, err = g.Tree(ctx, tree); err != nil {
		return r, err
	}
	entries, err := list(ctx, g, r.Listed)
	if err != nil {
		return r, err
	}
	root, err := w.open()
	if err != nil {
		return r, err
	}
	defer root.Close()
	old, err := w.load(root)
	if err != nil {
		r.Anew = true
		if err := root.empty(); err != nil {
			return r, err
		}
	}
	next := record{Tree: tree, Key: key, files: entries}
	if old.Key == key && old.Complete {
		next.Complete, next.kept, next.Empty = true, keptExcept(old.kept, entries), emptyExcept(old.Empty, entries)
	}
	extra, err := w.walk(ctx, root, &old, &next)
	if err != nil {
		return r, err
	}
	if !r.Anew && len(extra) == 0 && !next.gitFile && next.equals(&old) {
		r.Files, r.Kept, r.NeedsSetup, r.Pointers = len(next.files), len(next.kept), !next.Complete, next.pointers()
		return r, nil
	}
	if err := w.forget(); err != nil { // From here on the directory is neither the old tree nor the new one.
		return r, err
	}
	if !next.Complete {
		if err := os.RemoveAll(w.pristine()); err != nil {
			return r, err
		}
	}
	if err := root.remove(extra); err != nil {
		return r, err
	}
	if err := w.write(ctx, g, root, &next, &r); err != nil {
		return r, err
	}
	if next.gitFile {
		if err := create(root, gitFile, fillFile, func(to io.Writer) error {
			_, err := io.WriteString(to, w.GitFile)
			return err
		}); err != nil {
			return r, err
		}
	}
	r.Files, r.Kept, r.Removed, r.NeedsSetup = len(next.files), len(next.kept), len(extra), !next.Complete
	return r, w.save(root, &next)
}

// equals reports whether the directory is as another record has it, with every file and no submodule and no empty
// directory, which no walk has looked for.
func (r *record) equals(old *record) bool {
	if r.Tree != old.Tree || r.Key != old.Key || r.Complete != old.Complete || len(r.Empty) > 0 ||
		len(r.kept) != len(old.kept) {
		return false
	}
	for _, all := range []entries{r.files, r.kept} {
		for _, e := range all {
			if !e.met {
				return false
			}
		}
	}
	return true
}

// pointers returns the files that are pointers to LFS objects, in order.
func (r *record) pointers() (names []string) {
	for name, e := range r.files {
		if e.pointer {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Changed returns the files of the tree that hold something else than the last update wrote,
// and the files that were written since and hold the same again; in order. New files are not among
// them.
func (w *Workspace) Changed(ctx context.Context) (changed, restored []string, err error) {
	if changed, restored, err = w.changed(ctx); err != nil {
		return nil, nil, fmt.Errorf("compare %s with its tree: %w", w.dir, err)
	}
	return changed, restored, nil
}

func (w *Workspace) changed(ctx context.Context) (changed, restored []string, err error) {
	root, err := w.open()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	old, err := w.load(root)
	if err != nil {
		return nil, nil, err
	}
	next := record{files: old.files.unmet()}
	if _, err := w.walk(ctx, root, &old, &next); err != nil {
		return nil, nil, err
	}
	for name, e := range next.files {
		if e.met {
			continue
		}
		if same, err := root.holds(name, e); err != nil {
			return nil, nil, err
		} else if !same {
			changed = append(changed, name)
		} else if e.touched {
			restored = append(restored, name)
		}
	}
	slices.Sort(changed)
	slices.Sort(restored)
	return changed, restored, nil
}

// open opens the directory, which is made where it is missing. Commands may have changed its mode.
func (w *Workspace) open() (dir, error) {
	for _, d := range []string{w.dir, w.state} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return dir{}, err
		}
	}
	root, err := openAnyway(unix.AT_FDCWD, w.dir)
	if err != nil {
		return root, err
	}
	st, err := root.status()
	if err == nil && st.Mode&0o7777 != 0o700 {
		err = unix.Fchmod(root.fd(), 0o700)
	}
	if err != nil {
		root.Close()
	}
	return root, err
}

func (w *Workspace) pristine() string   { return filepath.Join(w.state, "kept") }
func (w *Workspace) recordFile() string { return filepath.Join(w.state, "record") }
func (w *Workspace) forgotten() string  { return filepath.Join(w.state, "record.new") }

// ErrNoRecord means that nothing is known of the directory.
var ErrNoRecord = errors.New("there is no record of it")
