package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
)

// Import opens a .ferrus that an earlier ferrus wrote, without a journal, and makes its
// state the first event. It calls f with that STATE.json and with the contents of the
// named files that exist; f records the event on tx, whose World is the zero value. f
// may be called twice, the second time under the lock.
//
// The originals are copied to archive/import-<hash of STATE.json> before the commit. A
// crash before it leaves everything as the earlier ferrus wrote it. Files named in texts
// that the new state has no text for are removed after it.
//
// A state that is not older is opened, and f is not called.
func Import[T any](ctx context.Context, project string, texts, others []string,
	f func(tx *Tx[T], state []byte, files map[string]string) error, heads ...Heads) (*Dir[T], error) {
	d, err := newDir[T](filepath.Join(project, ".ferrus"), heads...)
	if err != nil {
		return nil, fmt.Errorf("import state: %w", err)
	}
	if err := d.takeOver(ctx, texts, others, f); err != nil {
		return nil, fmt.Errorf("import state: %w", d.named(err))
	}
	return d, d.prepare()
}

// takeOver imports once without the lock, to refuse early, and once under it.
func (d *Dir[T]) takeOver(ctx context.Context, texts, others []string,
	f func(*Tx[T], []byte, map[string]string) error) error {
	folder, err := d.open()
	if err != nil {
		return err
	}
	w := &writer[T]{dir: d, folder: folder}
	// before making a lock file, which an earlier ferrus did not have
	if _, err := w.legacy(texts, others, f); err != nil {
		return errors.Join(err, folder.Close())
	}
	if w.unlock, err = folder.lock(ctx, d.names.lock); err != nil {
		return errors.Join(err, folder.Close())
	}
	defer w.close()
	found, err := w.legacy(texts, others, f)
	if err != nil || found == nil {
		return err
	}
	return w.takeOver(*found)
}

// legacy is what an earlier ferrus left, and the event that it becomes.
type legacy[T any] struct {
	tx    *Tx[T]
	hash  string            // of STATE.json
	files map[string]string // contents of the files that exist
}

// legacy reads what an earlier ferrus left, and changes nothing. It returns nil if
// another process has imported it.
func (w *writer[T]) legacy(texts, others []string, f func(*Tx[T], []byte, map[string]string) error) (
	*legacy[T], error) {
	data, err := readWhole(w.folder, w.dir.names.state)
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
			tx.docs[name] = Doc{} // removes the file, unless f sets the text
			tx.texts[name] = ""
		}
	}
	if err := f(tx, data, maps.Clone(files)); err != nil {
		return nil, err
	}
	files[stateName] = string(data)
	return &legacy[T]{tx, sha(data), files}, w.noLaterJournal()
}

// noLaterJournal refuses a journal that is not empty: it shows that there was a later
// state, which somehow was replaced by this one.
func (w *writer[T]) noLaterJournal() error {
	info, err := w.folder.stat(journalName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	return &DamagedError{File: stateName, Why: "it has the first schema, and there is a journal of a later one",
		Fix: "run: ferrus doctor --repair"}
}

// takeOver is Import under the lock.
func (w *writer[T]) takeOver(found legacy[T]) error {
	for _, dir := range firstDirs { // what the first state relies on is durable before it
		if err := makeDirs(w.folder, dir); err != nil {
			return err
		}
	}
	if err := w.makeJournal(); err != nil {
		return err
	}
	if err := w.keepOriginals(path.Join(archiveDir, "import-"+found.hash[:8]), found.files); err != nil {
		return err
	}
	if err := w.openHeads(); err != nil {
		return err
	}
	_, err := w.commit(found.tx, Call{})
	return err
}

// readAll reads the files that exist.
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

// keepOriginals writes the original files to a directory of the archive, durably.
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
