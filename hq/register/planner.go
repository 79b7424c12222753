package register

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/checks/regular"
	"ferrus/hq/config"
	"ferrus/hq/tomledit"
)

// Role is an agent for a role.
type Role struct {
	Role  string // supervisor or executor
	Agent string
	Model *string // nil: keep it, unless it belongs to another agent
}

func (r Role) owner() string { return r.Role + ":" + r.Agent }

// Options say what to register, and where.
type Options struct {
	Dir    string // the project: absolute, without symbolic links
	Ferrus string // absolute path of the program that agents start
	Roles  []Role
	Record []byte // that Plan.Write saved; nil: nothing is registered
}

// planner makes a plan.
type planner struct {
	Options
	record  record
	files   []*projectFile
	entries []Entry
}

func newPlanner(o Options) (*planner, error) {
	r, err := readRecord(o.Record)
	return &planner{Options: o, record: r}, err
}

func registrar(name string) (agent.Registrar, error) {
	a, err := agent.Lookup(name, nil)
	if err != nil {
		return nil, err
	}
	r, ok := a.(agent.Registrar)
	if !ok {
		return nil, fmt.Errorf("agent %q has no configuration of its own to register in", name)
	}
	return r, nil
}

// open reads a file once, by its name without symbolic links.
func (w *planner) open(name string) (*projectFile, error) {
	real, err := resolve(w.Dir, name)
	if err != nil {
		return nil, err
	}
	for _, f := range w.files {
		if f.name == real {
			return f, nil
		}
	}
	f := &projectFile{name: real, entry: w.record.file(real), mode: 0o644}
	if err := f.read(w.Dir); err != nil {
		return nil, err
	}
	f.after, f.exists = f.before, f.existed
	if f.entry == nil {
		f.entry = &file{Name: real, Before: f.before, New: !f.existed}
		f.isNew = true
	} else if f.existed {
		f.entry.rebase(f.before)
	}
	w.files = append(w.files, f)
	return f, nil
}

// addRole plans the edits for one role.
func (w *planner) addRole(r Role) error {
	a, err := registrar(r.Agent)
	if err != nil {
		return err
	}
	index, err := w.entryIndex(a, r)
	if err != nil {
		return err
	}
	registration := a.Registration(w.registered(r, index))
	w.entries = append(w.entries, Entry{
		Role: r.Role, Agent: r.Agent, ID: fmt.Sprintf("%s:%s:%d", r.Role, r.Agent, index), Server: registration.Server,
		File: registration.Edits[0].File, Start: registration.Start, Alone: registration.Alone,
		Notes: registration.Notes,
	})
	edits := append(registration.Edits, agent.Edit{File: ".gitignore", Kind: agent.Line, Key: "*" + Backup})
	roleEdits, err := w.roleEdits(r)
	if err != nil {
		return err
	}
	for _, e := range append(edits, roleEdits...) {
		if err := w.addEdit(e, r.owner()); err != nil {
			return err
		}
	}
	return nil
}

func (w *planner) registered(r Role, index int) agent.Registered {
	return agent.Registered{Role: r.Role, Index: index, Ferrus: w.Ferrus, Project: w.Dir}
}

// entryIndex returns the number of the existing entry for this role, else the first free
// number.
func (w *planner) entryIndex(a agent.Registrar, r Role) (int, error) {
	free := 0
	for n := 1; n < 100; n++ {
		e := a.Registration(w.registered(r, n)).Edits[0]
		f, err := w.open(e.File)
		if err != nil {
			return 0, err
		}
		there, serves := findEntry(f.after, e, r)
		if serves {
			return n, nil
		}
		if !there && free == 0 {
			free = n
		}
	}
	if free == 0 {
		return 0, errors.New("a hundred other entries already use ferrus's names")
	}
	return free, nil
}

// findEntry looks for an entry, and whether it starts ferrus for the role. Errors of the
// file are reported by the edit.
func findEntry(data []byte, e agent.Edit, r Role) (there, serves bool) {
	if e.Kind == agent.Table {
		var found entry
		there = tomledit.Lookup(data, keyPath(e)) != nil
		return there, tableEntry(data, e, &found) && found.startsFerrus(r.Role, r.Agent)
	}
	d, err := parseJSON(data, e)
	if err != nil {
		return false, false
	}
	at := d.find(keyPath(e)...)
	if at == nil {
		return false, false
	}
	var found entry
	return true, decodeValue(at, &found) && found.startsFerrus(r.Role, r.Agent)
}

// roleEdits returns the edits of ferrus.toml. A model belongs to an agent: a new agent
// removes it, unless a model is given.
func (w *planner) roleEdits(r Role) ([]agent.Edit, error) {
	f, err := w.open(config.File)
	if err != nil {
		return nil, err
	}
	if !f.exists {
		return nil, config.ErrNone
	}
	edit := agent.Edit{File: config.File, Kind: roleKind, Path: []string{r.Role}, Key: "agent", Value: r.Agent}
	now, err := roleValue(f.after, edit)
	if err != nil {
		return nil, err
	}
	if now == "" {
		now = agent.Default(r.Role)
	}
	edits := []agent.Edit{edit}
	if r.Model == nil && now != r.Agent {
		r.Model = new(string)
	}
	if r.Model != nil {
		edit.Key, edit.Value = "model", strings.TrimSpace(*r.Model)
		edits = append(edits, edit)
	}
	return edits, nil
}

// addEdit makes one edit in memory and records it if it changed anything.
func (w *planner) addEdit(e agent.Edit, owner string) error {
	f, err := w.open(e.File)
	if err != nil {
		return err
	}
	e.File = f.name
	was := previousValue(f.after, e)
	after, err := applyEdit(f.after, e)
	if err != nil {
		return err
	}
	f.record(e, owner, was, string(after) != string(f.after))
	f.after, f.exists = after, true
	return nil
}

// previousValue returns the text in data that an edit would replace; empty: it adds something.
func previousValue(data []byte, e agent.Edit) string {
	switch e.Kind {
	case agent.Member:
		d, err := parseJSON(data, e)
		if err != nil {
			return ""
		}
		if at := d.find(keyPath(e)...); at != nil {
			return string(d.text[at.StartOffset:at.EndOffset])
		}
	case agent.Table:
		text, _ := tomledit.Table(data, keyPath(e))
		return text
	case roleKind:
		old, _ := roleValue(data, e) // the edit reports the error
		if old == "" && e.Key == "agent" {
			return agent.Default(e.Path[0])
		}
		return old
	}
	return ""
}

// removeEdits undoes what owners registered in a file; without owners, everything.
func (w *planner) removeEdits(r *file, owners []string) error {
	var kept, gone []recordedEdit
	for _, m := range r.Edits {
		left := slices.DeleteFunc(slices.Clone(m.Owners), func(o string) bool {
			return len(owners) == 0 || slices.Contains(owners, o)
		})
		if len(left) == 0 {
			gone = append(gone, m)
			continue
		}
		m.Owners = left
		kept = append(kept, m)
	}
	f, err := w.open(r.Name)
	if err != nil {
		return err
	}
	if f.exists && len(gone) > 0 {
		if err := f.undo(kept, gone); err != nil {
			return err
		}
	}
	r.Edits = kept
	return nil
}

// plan returns the changes, with each backup before the file that it saves.
func (w *planner) plan(removes bool) (*Plan, error) {
	p := &Plan{Entries: w.entries, before: w.Record, removes: removes, dir: w.Dir}
	for _, f := range w.files {
		if f.existed == f.exists && bytes.Equal(f.before, f.after) {
			if backup, err := w.backup(f, removes); err != nil {
				return nil, err
			} else if backup != nil && removes {
				p.Changes = append(p.Changes, *backup)
			}
			continue
		}
		c := Change{File: f.name, mode: f.mode}
		if f.existed {
			c.Before = nonNil(f.before)
		}
		if f.exists {
			c.After = nonNil(f.after)
		}
		if backup, err := w.backup(f, removes); err != nil {
			return nil, err
		} else if backup != nil {
			p.Changes = append(p.Changes, *backup)
		}
		if !removes && f.isNew {
			f.entry.Dirs = missingDirs(w.Dir, f.name)
			w.record.Files = append(w.record.Files, f.entry)
		}
		if !f.exists {
			p.empty = append(p.empty, f.entry.Dirs...)
		}
		p.Changes = append(p.Changes, c)
	}
	var err error
	p.after, err = w.record.write()
	return p, err
}

// nonNil returns a copy that is not nil, even if it is empty.
func nonNil(data []byte) []byte { return append([]byte{}, data...) }

// backup returns the copy to make before the first edit of a file, or the one to remove
// when the file is restored.
func (w *planner) backup(f *projectFile, removes bool) (*Change, error) {
	name := f.name + Backup
	switch {
	case !removes && f.isNew && f.existed && !f.hasBackup:
		f.entry.Backup = true
		return &Change{File: name, After: nonNil(f.before), mode: f.mode}, nil
	case removes && f.entry.Backup && f.hasBackup:
		copied, err := regular.Read(filepath.Join(w.Dir, name), maxFile)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if len(f.entry.Edits) == 0 {
			return &Change{File: name, Before: nonNil(copied), mode: f.mode}, nil
		}
	}
	return nil, nil
}
