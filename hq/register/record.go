package register

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
)

// record is what ferrus did to the files, so that it can be undone.
type record struct {
	Files []*file `json:"files"`
}

// file is the record of one file.
type file struct {
	Name   string         `json:"name"`             // below the project, without symbolic links
	Before []byte         `json:"before"`           // the first edit
	New    bool           `json:"new,omitempty"`    // it did not exist before
	Dirs   []string       `json:"dirs,omitempty"`   // created for it, innermost first
	Backup bool           `json:"backup,omitempty"` // ferrus made one
	Edits  []recordedEdit `json:"edits"`
}

// recordedEdit is an edit that changed something.
type recordedEdit struct {
	agent.Edit
	Owners []string `json:"owners"`        // supervisor:codex
	Old    string   `json:"old,omitempty"` // what it replaced
}

func readRecord(data []byte) (record, error) {
	var r record
	if data == nil {
		return r, nil
	}
	err := json.Unmarshal(data, &r)
	if err == nil {
		err = r.check()
	}
	if err != nil {
		return record{}, fmt.Errorf("read the registration: %w", err)
	}
	return r, nil
}

// check refuses a record that ferrus did not write, because its directories are removed
// and its edits undone.
func (r record) check() error {
	for _, f := range r.Files {
		if f == nil || !filepath.IsLocal(f.Name) {
			return errors.New("it names a file outside the project")
		}
		for _, d := range f.Dirs {
			if !strings.HasPrefix(f.Name, d+"/") {
				return fmt.Errorf("%.80q is not a directory of %.80q", d, f.Name)
			}
		}
		for _, m := range f.Edits {
			text := m.Kind == agent.Section || m.Kind == agent.Line
			if !text && len(m.Path) == 0 || m.Kind != agent.Element && m.Key == "" {
				return fmt.Errorf("an edit of %.80q has no path", f.Name)
			}
		}
	}
	return nil
}

// write returns the record, or nil if nothing is registered.
func (r record) write() ([]byte, error) {
	r.Files = slices.DeleteFunc(r.Files, func(f *file) bool { return len(f.Edits) == 0 })
	if len(r.Files) == 0 {
		return nil, nil
	}
	return json.MarshalIndent(r, "", "  ")
}

func (r *record) file(name string) *file {
	for _, f := range r.Files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// owned reports whether anything is registered for an owner.
func (r record) owned(owner string) bool {
	return slices.ContainsFunc(r.Files, func(f *file) bool {
		return slices.ContainsFunc(f.Edits, func(m recordedEdit) bool { return slices.Contains(m.Owners, owner) })
	})
}

// find returns the index of an edit that was made before, perhaps with another value.
func (f *file) find(e agent.Edit) int {
	return slices.IndexFunc(f.Edits, func(m recordedEdit) bool {
		same := m.Kind == e.Kind && m.Key == e.Key && slices.Equal(m.Path, e.Path)
		return same && (e.Kind != agent.Element || m.Value == e.Value)
	})
}

// replay makes edits in the original file.
func (f *file) replay(edits []recordedEdit) ([]byte, error) {
	data := f.Before
	for _, m := range edits {
		var err error
		if data, err = applyEdit(data, m.Edit); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// isUntouched reports whether a file is as ferrus wrote it.
func (f *file) isUntouched(now []byte) bool {
	data, err := f.replay(f.Edits)
	return err == nil && bytes.Equal(data, now)
}

// undoAll undoes edits in a file that has changed since, the last one first.
func undoAll(data []byte, edits []recordedEdit) ([]byte, error) {
	for _, m := range slices.Backward(edits) {
		var err error
		if data, err = undoEdit(data, m.Edit, m.Old); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// rebase adds what was changed since to the original file.
func (f *file) rebase(now []byte) {
	if f.isUntouched(now) {
		return
	}
	stripped, err := undoAll(now, f.Edits)
	if err != nil || saysTheSame(f.Name, stripped, f.Before, f.Edits) {
		return
	}
	if again := (&file{Before: stripped, Edits: f.Edits}); again.isUntouched(now) {
		f.Before, f.New = stripped, f.New && isEmpty(stripped)
	}
}
