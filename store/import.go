package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Import opens a .ferrus that an earlier ferrus wrote, one that kept no journal,
// and makes its state the first event: f is given its STATE.json and what is in
// the files that are named, without those that are not there, and records on tx,
// whose World is the zero one. What was there is kept in archive/import-<hash of
// STATE.json>. Up to the commit everything is as the earlier ferrus left it.
//
// A named file that the new state does not give as a text is taken away when it
// is one of texts. A state that is not older is opened, and f is not called.
func Import[T any](ctx context.Context, project string, texts, others []string, f func(tx *Tx[T], state []byte, files map[string]string) error) (*Dir[T], error) {
	d, err := newDir[T](project)
	if err != nil {
		return nil, fmt.Errorf("import state: %w", err)
	}
	if err := d.takeOver(ctx, texts, others, f); err != nil {
		return nil, fmt.Errorf("import state: %w", d.named(err))
	}
	return d, d.prepare()
}

func (d *Dir[T]) takeOver(ctx context.Context, texts, others []string, f func(*Tx[T], []byte, map[string]string) error) error {
	folder, err := d.open()
	if err != nil {
		return err
	}
	w := &writer[T]{dir: d, folder: folder}
	if _, err := w.legacy(texts, others, f); err != nil { // before a lock is made that an earlier ferrus did not have
		return errors.Join(err, folder.Close())
	}
	if w.unlock, err = folder.lock(ctx, d.files.lock); err != nil {
		return errors.Join(err, folder.Close())
	}
	defer w.close()
	found, err := w.legacy(texts, others, f)
	if err != nil || found == nil {
		return err
	}
	return w.takeOver(*found)
}

// legacy is what an earlier ferrus left, and what it comes to.
type legacy[T any] struct {
	tx    *Tx[T]
	hash  string            // of STATE.json
	files map[string]string // that were there
}

// legacy reads and changes nothing; it is nil when another has been quicker.
func (w *writer[T]) legacy(texts, others []string, f func(*Tx[T], []byte, map[string]string) error) (*legacy[T], error) {
	data, err := readWhole(w.folder, w.dir.files.state)
	if err != nil {
		return nil, w.dir.describeMissing(err)
	}
	var older *OlderError
	if _, err := parse(data); !errors.As(err, &older) {
		return nil, err
	}
	files, err := readAll(w.folder, append(append([]string{}, texts...), others...))
	if err != nil {
		return nil, err
	}
	tx := &Tx[T]{Seq: 1, folder: w.folder, docs: map[string]Doc{}, texts: map[string]string{}}
	for _, name := range texts {
		if _, ok := files[name]; ok {
			tx.docs[name] = Doc{} // a copy of nothing, until f gives the text
			tx.texts[name] = ""
		}
	}
	if err := f(tx, data, maps.Clone(files)); err != nil {
		return nil, err
	}
	files[stateName] = string(data)
	return &legacy[T]{tx, sha(data), files}, w.noLaterJournal()
}

// noLaterJournal refuses a journal with something in it: it says that there was a
// later state.
func (w *writer[T]) noLaterJournal() error {
	info, err := w.folder.stat(journalName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	return &DamagedError{File: stateName, Why: "it is of the first schema, and there is a journal of a later one", Fix: "run: ferrus doctor --repair"}
}

// takeOver is Import under the lock.
func (w *writer[T]) takeOver(found legacy[T]) error {
	for _, dir := range firstDirs { // what the first state relies on is durable before it
		if err := makeDirs(w.folder, dir); err != nil {
			return err
		}
	}
	if err := w.openJournal(); err != nil {
		return err
	}
	if err := w.keepOriginals(path.Join(archiveDir, "import-"+found.hash[:8]), found.files); err != nil {
		return err
	}
	_, err := w.commit(found.tx, Call{})
	return err
}

// readAll reads the files that are there.
func readAll(f folder, names []string) (map[string]string, error) {
	files := map[string]string{}
	for _, name := range names {
		data, err := readWhole(f, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		files[name] = string(data)
	}
	return files, nil
}

// keepOriginals writes what was there to a directory of the archive, durably.
func (w *writer[T]) keepOriginals(dir string, files map[string]string) error {
	if err := makeDirs(w.folder, dir); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := writeNew(w.folder, path.Join(dir, name), []byte(files[name]), true); err != nil {
			return err
		}
	}
	for _, dir := range []string{dir, archiveDir} { // one that a killed writer made may not be durable yet
		if err := w.folder.syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
