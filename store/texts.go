package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

// lastDocs returns the texts that the newest event changed: only their copies can be
// missing, if the copies of the events before were seen to be complete.
func (w *writer[T]) lastDocs() []string {
	var data struct {
		Docs map[string]json.RawMessage `json:"docs"`
	}
	if json.Unmarshal(w.doc.lastEntry().Data, &data) != nil {
		return nil // no event yet
	}
	return slices.Sorted(maps.Keys(data.Docs))
}

// project writes the copies of some texts beside STATE.json. Copies are for readers: one
// that fails is noted as unfinished, and never read back.
func (w *writer[T]) project(names []string, docs map[string]Doc) {
	for _, name := range names {
		if err := w.projectOne(name, docs[name]); err != nil {
			w.unfinished = errors.Join(w.unfinished, fmt.Errorf("copy %s: %w", name, err))
		}
	}
}

// projectOne writes one copy if it differs, or removes it with its text. Copies are not
// synced: they can be written again.
func (w *writer[T]) projectOne(name string, doc Doc) error {
	if doc.File == "" {
		return removeAny(w.folder, name)
	}
	if text, ok := w.fresh[name]; ok {
		return replace(w.folder, name, []byte(text), false)
	}
	text, err := readDoc(w.folder, doc)
	if err != nil {
		return err
	}
	if old, err := readWhole(w.folder, name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return replace(w.folder, name, text, false)
}

// sweepDocs removes the files in docs that none of the given states names. The writer
// keeps those of the previous state, for readers that have just loaded it.
func (w *writer[T]) sweepDocs(states ...map[string]Doc) {
	keep := map[string]bool{}
	for _, docs := range states {
		for _, doc := range docs {
			keep[doc.File] = true
		}
	}
	names, err := listAny(w.folder, docsDir)
	for _, name := range names {
		if file := path.Join(docsDir, name); !keep[file] {
			err = errors.Join(err, removeAny(w.folder, file))
		}
	}
	if err != nil {
		w.unfinished = errors.Join(w.unfinished, fmt.Errorf("sweep %s: %w", docsDir, err))
	}
}
