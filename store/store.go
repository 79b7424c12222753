// Package store keeps one value of a program's state in a project's .ferrus, so
// that a crash at any instant leaves either the old value or the new one, whole.
//
// [Open] the directory, [Dir.Load] what it holds, and change it with
// [Dir.Update], which runs a function alone among all processes and goroutines.
// When Update returns nil, the new state is durable and its event is in the
// journal, or is kept in STATE.json for the next writer to put there. When it
// returns an error nothing has changed, unless the error says to load again.
// Never keep a State across an Update: load, or look at Tx.World.
//
// # On disk
//
// STATE.json is the truth: the members of T, and beside them schema_version,
// seq, updated_at, owner_pid, docs and last. A member of T that is null is not
// written. docs names the texts, which lie in docs/ under names that are used
// once; a text that was removed keeps an empty entry. last holds the newest
// line of journal.jsonl, the call that it answered, and the answer. The texts
// are copied beside STATE.json for people; the copies are never read back.
//
// Under the lock, in this order: STATE.json is read; the last writer's work is
// finished; the function decides; new texts are made durable, then docs/; at the
// same time the journal is, and STATE.json.tmp; that is renamed to STATE.json,
// then the directory is made durable: this is the commit; the line is appended
// to the journal; the copies are made. So at every instant the durable journal
// has every line before the newest, and STATE.json the newest.
//
// # Limits
//
// It does not keep anything from a process of the same user that edits files
// behind its back; Damaged is what it says when it notices. A file that it
// reads or writes whole has at most 16 MiB.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"sync"
	"time"
)

// Dir is the .ferrus directory of a project, with one state of type T. It holds
// nothing open, and can be used from several goroutines.
type Dir[T any] struct {
	root  string // absolute
	disk  disk
	files stateFiles

	mu       sync.Mutex // guards finished
	finished *recovered // nil until this Dir has seen everything in place
}

// State is a value with its place in the order of all values.
type State[T any] struct {
	Schema    int
	Seq       uint64
	UpdatedAt time.Time
	OwnerPID  int // the process that wrote it
	Docs      map[string]Doc
	World     T
}

// Doc names the file that holds a text.
type Doc struct {
	File   string `json:"file,omitempty"` // below .ferrus
	SHA256 string `json:"sha256,omitempty"`
}

// Open opens the .ferrus of a project and clears away what a crash left behind.
// The error is [ErrNone] when there is none, *[OlderError] when [Import] has to come
// first, and *[NewerError] or *[DamagedError] when its STATE.json cannot be used.
func Open[T any](project string) (*Dir[T], error) {
	d, err := newDir[T](project)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	return d, nil
}

// Create makes the .ferrus of a project with first as its state, seq 0; when
// there is a state already, it is opened instead.
func Create[T any](ctx context.Context, project string, first T) (*Dir[T], error) {
	d, err := newDir[T](project)
	if err != nil {
		return nil, fmt.Errorf("create state: %w", err)
	}
	if err := d.make(ctx, first); err != nil {
		return nil, err
	}
	return d, nil
}

func newDir[T any](project string) (*Dir[T], error) {
	root, err := filepath.Abs(filepath.Join(project, ".ferrus"))
	return &Dir[T]{root: root, disk: osDisk(root), files: projectFiles}, err
}

// Path is where a file below .ferrus is, to show it or to hand it to a program.
func (d *Dir[T]) Path(elem ...string) string {
	return filepath.Join(d.root, filepath.Join("/", filepath.Join(elem...)))
}

// open opens the directory for one operation.
func (d *Dir[T]) open() (folder, error) {
	f, err := d.disk.open()
	return f, d.describeMissing(err)
}

// Load returns the state as it is now. It takes no lock: a reader sees a whole
// state, and it may be an older one by the time it is looked at.
func (d *Dir[T]) Load() (State[T], error) {
	f, err := d.open()
	if err != nil {
		return State[T]{}, fmt.Errorf("load state: %w", err)
	}
	defer f.Close()
	_, s, err := d.read(f)
	if err != nil {
		return State[T]{}, fmt.Errorf("load state: %w", d.named(err))
	}
	return s, nil
}

func (d *Dir[T]) read(f folder) (document, State[T], error) {
	data, err := readWhole(f, d.files.state)
	if err != nil {
		return document{}, State[T]{}, d.describeMissing(err)
	}
	doc, err := parse(data)
	if err != nil {
		return doc, State[T]{}, err
	}
	s, err := decodeState[T](doc)
	return doc, s, err
}

// describeMissing words that there is nothing at all.
func (d *Dir[T]) describeMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", filepath.Dir(d.root), ErrNone)
	}
	return err
}

// decodeState makes a state of its own at each call.
func decodeState[T any](doc document) (State[T], error) {
	s := State[T]{Schema: doc.Schema, Seq: doc.Seq, UpdatedAt: doc.UpdatedAt, OwnerPID: doc.OwnerPID, Docs: named(doc.Docs)}
	if err := json.Unmarshal(doc.data, &s.World); err != nil {
		return s, damagedState(doc.data, err)
	}
	return s, nil
}

// named leaves out the texts that were removed.
func named(docs map[string]Doc) map[string]Doc {
	docs = maps.Clone(docs)
	maps.DeleteFunc(docs, func(_ string, doc Doc) bool { return doc.File == "" })
	return docs
}

// ReadText returns a text of a state, and nothing when it has none. The error is
// [ErrStale] when the state is no longer the newest and its text is gone; the
// texts of the state before the newest are still there.
func (d *Dir[T]) ReadText(s State[T], name string) (string, error) {
	doc, ok := s.Docs[name]
	if !ok {
		return "", nil
	}
	f, err := d.open()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	text, err := readDoc(f, doc)
	if errors.Is(err, fs.ErrNotExist) {
		err = d.missing(f, s.Seq, doc)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", name, d.named(err))
	}
	return string(text), nil
}

// missing tells a text that was let go from one that somebody took away.
func (d *Dir[T]) missing(f folder, seq uint64, doc Doc) error {
	if now, _, err := d.read(f); err != nil {
		return err
	} else if now.Seq != seq {
		return ErrStale
	}
	return &DamagedError{File: doc.File, Why: "it is not there", Fix: fixDoc}
}

// readDoc reads a text and compares it with what was written.
func readDoc(f folder, doc Doc) ([]byte, error) {
	text, err := readWhole(f, doc.File)
	if err != nil {
		return nil, err
	}
	if sha(text) != doc.SHA256 {
		return nil, &DamagedError{File: doc.File, Why: "it is not the text that was written", Fix: fixDoc}
	}
	return text, nil
}
