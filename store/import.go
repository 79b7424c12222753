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
	unlock, err := folder.lock(ctx, lockName)
	if err != nil {
		return errors.Join(err, folder.Close())
	}
	w := &writer[T]{dir: d, folder: folder, unlock: unlock}
	defer w.end()
	return w.takeOver(texts, others, f)
}

// takeOver is Import under the lock.
func (w *writer[T]) takeOver(texts, others []string, f func(*Tx[T], []byte, map[string]string) error) error {
	data, err := readWhole(w.folder, stateName)
	if err != nil {
		return w.dir.none(err)
	}
	var older *Older
	if _, err := parse(data); !errors.As(err, &older) {
		return err // nil: another has been quicker
	}
	files, err := readAll(w.folder, append(append([]string{}, texts...), others...))
	if err != nil {
		return err
	}
	tx := &Tx[T]{Seq: 1, folder: w.folder, docs: map[string]Doc{}, texts: map[string]string{}}
	for _, name := range texts {
		if _, ok := files[name]; ok {
			tx.docs[name] = Doc{} // a copy of nothing, until f gives the text
			tx.texts[name] = ""
		}
	}
	if err := f(tx, data, files); err != nil {
		return err
	}
	if err := w.makeRoom(); err != nil {
		return err
	}
	files[stateName] = string(data)
	if err := w.keepOriginals(path.Join(archiveDir, "import-"+sha(data)[:8]), files); err != nil {
		return err
	}
	_, err = w.commit(tx, Call{})
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

// makeRoom makes durably what the first state relies on. A journal with lines
// says that there was a later state.
func (w *writer[T]) makeRoom() error {
	for _, dir := range firstDirs {
		if err := makeDirs(w.folder, dir); err != nil {
			return err
		}
	}
	if err := w.openJournal(); err != nil {
		return err
	}
	if w.journal.end > 0 {
		return &Damaged{File: stateName, Why: "it is of the first schema, and there is a journal of a later one", Fix: "run: ferrus doctor --repair"}
	}
	return nil
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
