// Package register tells the clients of a project of ferrus, each in its own
// configuration, for sessions that a person starts outside HQ, and takes it back.
//
// In a hurry: [Add] or [Remove] plans, which reads but changes nothing;
// [Plan.Text] shows the plan and [Plan.Write] carries it out. What a file holds
// besides stays byte for byte: text is put in, never written anew. What is there
// already is left, so doing it twice changes nothing. A file that cannot be read
// is a [Fault] with its place, and then there is no plan.
//
// What was done is kept in a record that the caller stores. With it Remove gives
// back the very bytes of before; of a file that was changed since it takes out
// what was put in.
//
// The package knows kinds of files, not clients: what goes into which is said by
// [agent.Registrar].
package register

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent"
	"ferrus/hq/config"
	"ferrus/hq/tomledit"
)

// Role is who is to play a role.
type Role struct {
	Role  string // supervisor or executor
	Agent string
	Model *string // nil: as it is, unless it belongs to another agent
}

func (r Role) owner() string { return r.Role + ":" + r.Agent }

// Options say what to register where.
type Options struct {
	Dir    string // the project, absolute and without links
	Ferrus string // absolute path of the program that clients start
	Roles  []Role
	Record []byte // that Plan.Write gave to save; nil: nothing is registered
}

// Entry is what a client was told.
type Entry struct {
	Role, Agent  string
	ID           string // executor:codex:1
	Server       string // ferrus-executor-1
	File         string
	Start, Alone string
	Notes        []string
}

// Backup is what is added to a file's name for the copy of it.
const Backup = ".ferrus-backup"

// Names are the agents that can be registered.
func Names() (names []string) {
	for _, n := range agent.Names() {
		if _, err := registrar(n); err == nil {
			names = append(names, n)
		}
	}
	return names
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

// Add plans to register roles.
func Add(o Options) (*Plan, error) {
	w, err := begin(o)
	if err != nil {
		return nil, err
	}
	for _, r := range o.Roles {
		if err := w.register(r); err != nil {
			return nil, err
		}
	}
	return w.plan(false)
}

// Remove plans to undo what was registered: for the roles, or all of it when
// there are none.
func Remove(o Options) (*Plan, error) {
	w, err := begin(o)
	if err != nil {
		return nil, err
	}
	var owners []string
	for _, r := range o.Roles {
		if !w.record.owned(r.owner()) {
			return nil, fmt.Errorf("%s is not registered as %s here", r.Agent, r.Role)
		}
		owners = append(owners, r.owner())
	}
	for _, f := range w.record.Files {
		if err := w.remove(f, owners); err != nil {
			return nil, err
		}
	}
	return w.plan(true)
}

// work is a plan in the making.
type work struct {
	Options
	record  record
	files   []*loaded
	entries []Entry
}

func begin(o Options) (*work, error) {
	r, err := readRecord(o.Record)
	return &work{Options: o, record: r}, err
}

// register plans what one role needs.
func (w *work) register(r Role) error {
	a, err := registrar(r.Agent)
	if err != nil {
		return err
	}
	index, err := w.index(a, r)
	if err != nil {
		return err
	}
	told := a.Registration(w.registered(r, index))
	w.entries = append(w.entries, Entry{
		Role: r.Role, Agent: r.Agent, ID: fmt.Sprintf("%s:%s:%d", r.Role, r.Agent, index), Server: told.Server,
		File: told.Edits[0].File, Start: told.Start, Alone: told.Alone, Notes: told.Notes,
	})
	edits := append(told.Edits, agent.Edit{File: ".gitignore", Kind: agent.Line, Key: "*" + Backup})
	players, err := w.players(r)
	if err != nil {
		return err
	}
	for _, e := range append(edits, players...) {
		if err := w.add(e, r.owner()); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) registered(r Role, index int) agent.Registered {
	return agent.Registered{Role: r.Role, Index: index, Ferrus: w.Ferrus, Project: w.Dir}
}

// index is the number of the entry that the client has for this role, else the
// first that is free.
func (w *work) index(a agent.Registrar, r Role) (int, error) {
	free := 0
	for n := 1; n < 100; n++ {
		e := a.Registration(w.registered(r, n)).Edits[0]
		f, err := w.open(e.File)
		if err != nil {
			return 0, err
		}
		there, serves := present(f.now, e, r)
		if serves {
			return n, nil
		}
		if !there && free == 0 {
			free = n
		}
	}
	if free == 0 {
		return 0, errors.New("there are a hundred entries of others with the names of ferrus")
	}
	return free, nil
}

// present looks for an entry. What is wrong with a file is said by the edit.
func present(data []byte, e agent.Edit, r Role) (there, serves bool) {
	if e.Kind == agent.Table {
		var found entry
		there = tomledit.Lookup(data, place(e)) != nil
		return there, tableEntry(data, e, &found) && found.serves(r.Role, r.Agent)
	}
	d, err := parseJSON(data, e)
	if err != nil {
		return false, false
	}
	at := d.find(place(e)...)
	if at == nil {
		return false, false
	}
	var found entry
	return true, decodeValue(at, &found) && found.serves(r.Role, r.Agent)
}

// players are the edits of ferrus.toml. A model belongs to an agent: it goes when
// another agent comes, unless one is given.
func (w *work) players(r Role) ([]agent.Edit, error) {
	f, err := w.open(config.File)
	if err != nil {
		return nil, err
	}
	if !f.exists {
		return nil, config.ErrNone
	}
	edit := agent.Edit{File: config.File, Kind: player, Path: []string{r.Role}, Key: "agent", Value: r.Agent}
	now, err := plays(f.now, edit)
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

// add makes one edit in memory and takes note of it if it changed anything.
func (w *work) add(e agent.Edit, owner string) error {
	f, err := w.open(e.File)
	if err != nil {
		return err
	}
	e.File = f.name
	was := replaced(f.now, e)
	after, err := apply(f.now, e)
	if err != nil {
		return err
	}
	f.note(e, owner, was, string(after) != string(f.now))
	f.now, f.exists = after, true
	return nil
}

// replaced is what an edit would take the place of.
func replaced(data []byte, e agent.Edit) string {
	switch e.Kind {
	case agent.Member:
		d, err := parseJSON(data, e)
		if err != nil {
			return ""
		}
		if at := d.find(place(e)...); at != nil {
			return string(d.text[at.StartOffset:at.EndOffset])
		}
	case agent.Table:
		text, _ := tomledit.Table(data, place(e))
		return text
	case player:
		old, _ := plays(data, e) // the edit says what is wrong
		if old == "" && e.Key == "agent" {
			return agent.Default(e.Path[0])
		}
		return old
	}
	return ""
}

// note records an edit. What was there already and is not ours stays unrecorded.
func (f *loaded) note(e agent.Edit, owner, was string, changed bool) {
	n := f.record.find(e)
	switch {
	case n >= 0 && e.Kind == player:
		f.record.Edits[n].Value, f.record.Edits[n].Owners = e.Value, []string{owner}
	case n >= 0:
		m := &f.record.Edits[n]
		if changed || m.Kind == agent.Section || m.Kind == agent.Line {
			m.Value = e.Value
		}
		if !slices.Contains(m.Owners, owner) {
			m.Owners = append(m.Owners, owner)
		}
	case changed:
		f.record.Edits = append(f.record.Edits, made{Edit: e, Owners: []string{owner}, Old: was})
	}
}

// remove takes back what owners registered in a file; without owners, all.
func (w *work) remove(r *file, owners []string) error {
	var kept, gone []made
	for _, m := range r.Edits {
		left := slices.DeleteFunc(slices.Clone(m.Owners), func(o string) bool { return len(owners) == 0 || slices.Contains(owners, o) })
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
		if err := f.take(kept, gone); err != nil {
			return err
		}
	}
	r.Edits = kept
	return nil
}

// take gives back the bytes of before if nobody changed the file since.
func (f *loaded) take(kept, gone []made) (err error) {
	r := f.record
	if r.untouched(f.now) {
		f.now, err = r.replay(kept)
		f.exists = !r.New || len(kept) > 0
		return err
	}
	if f.now, err = strip(f.now, gone); err != nil {
		return err
	}
	f.exists = !r.New || len(kept) > 0 || !hollow(f.now)
	return nil
}

// hollow reports whether nothing is left in a file that ferrus made.
func hollow(data []byte) bool {
	left := strings.Join(strings.Fields(string(data)), "")
	return left == "" || left == "{}"
}

func below(dir, path string) (string, bool) {
	name, err := filepath.Rel(dir, path)
	return filepath.ToSlash(name), err == nil && filepath.IsLocal(name)
}
