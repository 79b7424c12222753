package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
)

// archive copies the texts, the checks and the journal entries of a task, durably. It
// runs before the commit: a crash in between leaves a copy that the next one replaces.
func (w *writer[T]) archive(task string) error {
	dir := path.Join(archiveDir, task)
	checks := path.Join(dir, checksDir)
	if isBound(dir) {
		if err := w.dir.rebind(w.folder, map[string]string{dir: anyFile}, func() error { return nil }); err != nil {
			return err
		}
	}
	if err := makeDirs(w.folder, checks); err != nil {
		return err
	}
	for name, doc := range named(w.doc.Docs) {
		text, err := readDoc(w.folder, doc)
		if err != nil {
			return err
		}
		if err := writeNew(w.folder, path.Join(dir, name), text, true); err != nil {
			return err
		}
	}
	if err := w.archiveJournal(task, dir); err != nil {
		return err
	}
	names, err := listAny(w.folder, checksDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyFile(w.folder, path.Join(checksDir, name), path.Join(checks, name)); err != nil {
			return err
		}
	}
	// All of them: one that a killed writer made may not be durable yet.
	for _, dir := range []string{checks, dir, archiveDir, "."} {
		if err := w.folder.syncDir(dir); err != nil {
			return err
		}
	}
	if !isBound(dir) {
		return nil
	}
	sum, err := hashBound(w.folder, dir)
	if err != nil {
		return err
	}
	return w.dir.rebind(w.folder, map[string]string{dir: sum}, func() error { return nil })
}

// hashFile hashes a file of any size.
func hashFile(f folder, name string) (string, error) {
	file, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), err
}

// copyFile copies a file of any size. The copy is durable; its name is only after the
// next sync of its directory.
func copyFile(f folder, from, to string) error {
	source, err := f.open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	if err := removeAny(f, to); err != nil {
		return err
	}
	target, err := f.create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// clearChecks removes the checks that the newest event has archived. It runs after the
// commit, and again by the next writer if this one dies here. Those of the next task, which may
// be written meanwhile under the same names, are not what was archived.
func (w *writer[T]) clearChecks(l *last) {
	if l == nil || l.Archived == "" {
		return
	}
	names, err := listAny(w.folder, path.Join(archiveDir, l.Archived, checksDir))
	left, listing := listAny(w.folder, checksDir)
	err = errors.Join(err, listing)
	var old []string
	gone := map[string]string{}
	for _, name := range left {
		if !slices.Contains(names, name) || !w.isArchived(l.Archived, name) {
			continue
		}
		old = append(old, name)
		if name = path.Join(checksDir, name); isBound(name) {
			gone[name] = noFile
		}
	}
	remove := func() (err error) {
		for _, name := range old {
			if !w.isArchived(l.Archived, name) {
				return fmt.Errorf("%s was replaced meanwhile", path.Join(checksDir, name))
			}
			err = errors.Join(err, removeAny(w.folder, path.Join(checksDir, name)))
		}
		return errors.Join(err, ignoreMissing(w.folder.syncDir(checksDir)))
	}
	if len(gone) > 0 {
		err = errors.Join(err, w.dir.rebind(w.folder, gone, remove))
	} else {
		err = errors.Join(err, remove())
	}
	if len(names) > 0 { // also when a killed writer removed them: the next event forgets about it
		err = errors.Join(err, ignoreMissing(w.folder.syncDir(checksDir)))
	}
	if err != nil {
		w.unfinished = errors.Join(w.unfinished, fmt.Errorf("archive %s: %w", l.Archived, err))
	}
}

// isArchived reports whether a check has the content that was archived of it.
func (w *writer[T]) isArchived(task, name string) bool {
	kept, err := hashFile(w.folder, path.Join(archiveDir, task, checksDir, name))
	if err != nil {
		return false
	}
	present, err := hashFile(w.folder, path.Join(checksDir, name))
	return err == nil && present == kept
}
