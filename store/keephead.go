package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
)

// keeping is the head that is kept outside, during one update.
type keeping struct {
	heads folder   // nil: none can be kept
	last  keptHead // what is kept; zero: nothing yet
	files keptFiles
	why   string // why none can be kept; empty where no heads are asked for

	adopt bool        // a place that is not the head's is no error, but in place
	place *PlaceError // why the place is not the head's
}

// checkKept compares the state with the head that is kept outside. Where that cannot be
// reached it says so in keeping.why, and the chain inside has to do.
func (w *writer[T]) checkKept() error {
	if err := w.openHeads(); err != nil || w.keeping.heads == nil {
		return err
	}
	path, inode := w.dir.place()
	last, err := readNewest[keptHead](w.keeping.heads, w.doc.Head.Project)
	w.keeping.last = last
	switch {
	case isMissing(err):
		err = missingHead(w.doc, path, w.keeping.heads)
	case err != nil:
		return &DamagedError{File: w.dir.keptPath(w.doc), Why: err.Error(), Fix: fixRepair}
	default:
		if err = w.keeping.last.compare(w.doc, path, inode); err == nil {
			return w.checkFiles()
		}
		err = w.alsoTakenBack(err)
	}
	if errors.As(err, &w.keeping.place) && (w.keeping.adopt || w.unwritable()) {
		return nil
	}
	return err
}

// alsoTakenBack adds to the error about a place that the record is older than in the other place,
// where the kept head alone cannot tell.
func (w *writer[T]) alsoTakenBack(err error) error {
	var at *PlaceError
	var damaged *DamagedError
	if errors.As(err, &at) && errors.As(w.checkFiles(), &damaged) {
		at.Why += "; " + filepath.Base(damaged.File) + ": " + damaged.Why
	}
	w.keeping.files = keptFiles{}
	return err
}

// checkFiles compares the files with what the last writer left.
func (w *writer[T]) checkFiles() error {
	k := &w.keeping.files
	err := readRecord(w.keeping.heads, filesOf(w.doc.Head.Project), k)
	if err != nil || k.Boot != w.dir.boot() || k.Boot == "" {
		*k = keptFiles{}
		return nil //nolint:nilerr // what a loss of power left of it says nothing
	}
	return k.compare(w.keeping.last, w.doc, w.journal.end)
}

// examineKept compares the present state with the head that is kept outside, and changes
// nothing. Others may write meanwhile, so it looks again before it says that they differ.
func (d *Dir[T]) examineKept(f folder) (err error) {
	if d.heads == nil {
		return nil
	}
	heads, opening := d.heads.open()
	if opening != nil {
		return nil //nolint:nilerr // HeadProblem says so
	}
	defer heads.Close()
	for range 3 {
		w := &writer[T]{dir: d, folder: f}
		w.keeping.heads = unclosed{heads}
		if w.doc, _, err = d.read(f); err != nil || w.doc.Head == nil {
			return err
		}
		if info, err := f.stat(journalName); err == nil {
			w.journal.end = info.Size()
		}
		if err = w.checkKept(); err == nil {
			return nil
		}
	}
	return err
}

// unclosed is a folder that is closed by another.
type unclosed struct{ folder }

func (unclosed) Close() error { return nil }

// openHeads opens the directory of the heads, and makes it if there is none.
func (w *writer[T]) openHeads() error {
	if w.dir.heads == nil || w.keeping.heads != nil || w.keeping.why != "" {
		return nil
	}
	f, err := w.dir.heads.open()
	if isMissing(err) {
		f, err = w.dir.heads.create()
	}
	if err == nil {
		w.keeping.heads = f
	} else if isUnwritable(err) {
		w.keeping.why = err.Error()
		return nil //nolint:nilerr // it is not to be had, and no reason to stop
	}
	return err
}

// isUnwritable reports an error that stays, unlike that a disk is full.
func isUnwritable(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrPermission, fs.ErrNotExist, syscall.EROFS, syscall.ENOTDIR, errUnsafe},
		func(e error) bool { return errors.Is(err, e) })
}

// unwritable reports whether no head can be written now, and then stops keeping it.
func (w *writer[T]) unwritable() bool {
	const probe = "probe.tmp"
	err := writeNew(w.keeping.heads, probe, nil, false)
	if err == nil {
		err = w.keeping.heads.remove(probe)
	}
	if isUnwritable(err) {
		w.stopKeeping(err)
	}
	return isUnwritable(err)
}

// stopKeeping continues without the head outside.
func (w *writer[T]) stopKeeping(err error) {
	w.keeping.why = err.Error()
	w.keeping.heads.Close()
	w.keeping.heads = nil
}

// announce says outside what is about to be committed, durably. Where nothing can be written
// it is left, and keeping.why says so; a disk that is full keeps the commit from being made.
func (w *writer[T]) announce(project string, next point) error {
	if w.keeping.heads == nil {
		return nil
	}
	path, inode := w.dir.place()
	k := keptHead{Path: path, Inode: inode, point: point{0, noHash}, Next: next}
	if w.doc.Head != nil {
		k.point = w.doc.Head.point()
	}
	err := w.makeDurable()
	if err == nil {
		err = writeNewest(w.keeping.heads, project, &k)
	}
	if isUnwritable(err) {
		w.stopKeeping(err)
		return nil
	} else if err != nil {
		return fmt.Errorf("write the head outside the project: %w", err)
	}
	w.keeping.last = k
	return nil
}

// makeDurable makes the directory of the heads durable, before the first of a project.
func (w *writer[T]) makeDurable() error {
	if w.keeping.last.Path != "" {
		return nil
	}
	f, err := w.dir.heads.create()
	if err == nil {
		f.Close()
	}
	return err
}

// confirm says outside that a state is the present one, and what its files are. It is not
// synced: what a loss of power takes back of it is what announce said.
func (w *writer[T]) confirm(h head, sums ...string) error {
	k := keptFiles{Boot: w.dir.boot(), point: h.point(), States: append(sums, h.Sum), Journal: w.journal.end}
	old := &w.keeping.files
	switch {
	case w.keeping.heads == nil || w.keeping.place != nil || w.keeping.last.Next != k.point:
		return nil
	case old.Boot == k.Boot && old.point == k.point && slices.Equal(old.States, k.States) && old.Journal == k.Journal:
		return nil
	}
	if err := overwrite(w.keeping.heads, filesOf(h.Project), &k); err != nil {
		return fmt.Errorf("write the head outside the project: %w", err)
	}
	*old = k
	return nil
}

// keepAnew keeps the head of a state that is being repaired, whatever is kept now, unless
// it belongs to another place: then you are asked.
func (w *writer[T]) keepAnew() error {
	if err := w.openHeads(); err != nil || w.keeping.heads == nil || w.doc.Head == nil {
		return err
	}
	path, inode := w.dir.place()
	k, err := readNewest[keptHead](w.keeping.heads, w.doc.Head.Project)
	if err == nil {
		err = k.compare(w.doc, path, inode)
	}
	if at := (*PlaceError)(nil); errors.As(err, &at) {
		w.stopKeeping(at)
	}
	return nil
}

// keptPath returns where the head of a state is kept.
func (d *Dir[T]) keptPath(doc document) string { return d.headsAt + "/" + doc.Head.Project }
