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

// record is what ferrus did to the files of others, so that it can be undone.
type record struct {
	Files []*file `json:"files"`
}

// file is one of them.
type file struct {
	Name   string   `json:"name"`             // below the project, with no link in it
	Before []byte   `json:"before"`           // the first edit
	New    bool     `json:"new,omitempty"`    // there was none before
	Dirs   []string `json:"dirs,omitempty"`   // made for it, the innermost first
	Backup bool     `json:"backup,omitempty"` // made by ferrus
	Edits  []made   `json:"edits"`
}

// made is an edit that changed something.
type made struct {
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
		return record{}, fmt.Errorf("read what was registered: %w", err)
	}
	return r, nil
}

// check refuses what ferrus did not write: its directories are removed, and its
// edits undone.
func (r record) check() error {
	for _, f := range r.Files {
		if f == nil || !filepath.IsLocal(f.Name) {
			return errors.New("it names a file that is not in the project")
		}
		for _, d := range f.Dirs {
			if !strings.HasPrefix(f.Name, d+"/") {
				return fmt.Errorf("%.80q is no directory of %.80q", d, f.Name)
			}
		}
		for _, m := range f.Edits {
			text := m.Kind == agent.Section || m.Kind == agent.Line
			if !text && len(m.Path) == 0 || m.Kind != agent.Element && m.Key == "" {
				return fmt.Errorf("an edit of %.80q has no place", f.Name)
			}
		}
	}
	return nil
}

// write returns nil when nothing is registered any more.
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
		return slices.ContainsFunc(f.Edits, func(m made) bool { return slices.Contains(m.Owners, owner) })
	})
}

// find returns the place of an edit that was made before, perhaps with another
// value.
func (f *file) find(e agent.Edit) int {
	return slices.IndexFunc(f.Edits, func(m made) bool {
		same := m.Kind == e.Kind && m.Key == e.Key && slices.Equal(m.Path, e.Path)
		return same && (e.Kind != agent.Element || m.Value == e.Value)
	})
}

// replay makes edits in the file as it was before; nil means that there was none.
func (f *file) replay(edits []made) ([]byte, error) {
	data := f.Before
	for _, m := range edits {
		var err error
		if data, err = apply(data, m.Edit); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// untouched reports whether a file is what ferrus left.
func (f *file) untouched(now []byte) bool {
	data, err := f.replay(f.Edits)
	return err == nil && bytes.Equal(data, now)
}

// strip undoes edits in a file that was changed since, the last one first.
func strip(data []byte, edits []made) ([]byte, error) {
	for _, m := range slices.Backward(edits) {
		var err error
		if data, err = undo(data, m.Edit, m.Old); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// rebase takes what a person changed since into what was there before.
func (f *file) rebase(now []byte) {
	if f.untouched(now) {
		return
	}
	stripped, err := strip(now, f.Edits)
	if err != nil {
		return
	}
	if again := (&file{Before: stripped, Edits: f.Edits}); again.untouched(now) {
		f.Before, f.New = stripped, f.New && hollow(stripped)
	}
}
