// Package store keeps one value, the state of a program, in a project's .ferrus. A crash
// at any instant leaves either the old value or the new one, whole.
//
// [Open] the directory, [Dir.Load] its state, and change it with [Dir.Update],
// which runs a function exclusively among all processes and goroutines. When Update
// returns nil, the new state is durable and its event is in the journal, or is kept
// in STATE.json for the next writer to put there. When it returns an error nothing
// has changed, unless the error says to load again. Never keep a State across an
// Update: load, or look at Tx.World.
//
// # On disk
//
// STATE.json is the truth: the members of T, and the members schema_version, seq,
// updated_at, owner_pid, docs and last of the store. A member of T that is null is not
// written. docs names the texts, which are files in docs/ whose names are never used
// again; a text that was removed keeps an empty entry. last contains the newest entry of
// journal.jsonl, the call that it answered, and the answer. The texts are copied beside
// STATE.json for readers; the copies are never read back.
//
// An update holds the lock and does the following, in this order:
//
//  1. read STATE.json, and complete the last writer's work;
//  2. call the function, which decides;
//  3. make durable, at the same time: the new texts and then docs/, the journal so far,
//     and STATE.json.tmp;
//  4. rename STATE.json.tmp to STATE.json and sync the directory: this is the commit;
//  5. append the entry to the journal and write the copies of the texts.
//
// So at every instant the durable journal has every entry but the newest, and STATE.json
// has the newest. A crash before 4 leaves the old state and files that the next writer
// removes; a crash after it leaves step 5 to the next writer.
//
// # The chain
//
// Each entry names the hash of the previous line, and the head of STATE.json the hash of the
// newest one and a sum of the file. In step 3 the same head is announced outside the
// project, in [Heads], so that restoring an older record is noticed; after step 5 it is
// confirmed there, without a sync. sums has the hashes of the other files, which are not
// texts, that decisions depend on. Every update verifies the end of the chain, and
// [Dir.Verify] all of it. A state that no crash can cause is a [DamagedError], and nothing
// changes until [Dir.Repair] has recorded an event that accepts what is left. A directory
// that was moved, copied or restored is a [PlaceError] until [Dir.Adopt].
//
// # Limits
//
// The store cannot stop another process of the same user from editing its files; one that
// rewrites the chain, sums and the head outside as well is not noticed. A file that
// it reads or writes whole has at most 16 MiB.
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"
)

// Dir is the .ferrus directory of a project, with one state of type T. It keeps no file
// open, and is safe for concurrent use by goroutines and processes.
type Dir[T any] struct {
	Files
	boot func() string

	mu       sync.Mutex // guards finished
	finished *recovered // nil: the last writer's work may be incomplete

	shared shared[T]
}

// Files are the files and locks in the .ferrus of a project, or in a directory below it with
// a state of its own. They do not depend on the type of that state.
type Files struct {
	root  string // absolute
	disk  disk
	names stateFiles

	heads   disk   // where heads and sums are kept outside; nil: nowhere
	headsAt string // its path

	decodedState decodedState
	decodedSums  decodedSums
	knownHashes  knownHashes
	knownChain   knownChain
}

// State is one value of the state, with its place in the order of all values.
type State[T any] struct {
	Schema    int            // the version of the file
	Seq       uint64         // the number of its event; 0: none yet
	UpdatedAt time.Time      // UTC, milliseconds
	OwnerPID  int            // the process that wrote it
	Docs      map[string]Doc // the texts, by name
	World     T
}

// Open opens the .ferrus of a project and removes what a crash left behind.
// The error is [ErrNone] if there is none, *[OlderError] if it has to be imported first
// (see [Import]), and *[NewerError] or *[DamagedError] if STATE.json cannot be used.
// Heads is at most one directory, in which the head is kept too.
func Open[T any](project string, heads ...Heads) (*Dir[T], error) {
	return OpenAt[T](filepath.Join(project, ".ferrus"), heads...)
}

// OpenAt is like [Open] for the directory of one task, which need not be the .ferrus of a
// project.
func OpenAt[T any](root string, heads ...Heads) (*Dir[T], error) {
	d, err := newDir[T](root, heads...)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if err := d.prepare(); err != nil {
		return nil, err
	}
	return d, nil
}

// Create makes the .ferrus of a project with first as its state, at seq 0. If there is a
// state, it is opened instead.
func Create[T any](ctx context.Context, project string, first T, heads ...Heads) (*Dir[T], error) {
	return CreateAt(ctx, filepath.Join(project, ".ferrus"), first, heads...)
}

// CreateAt is like [Create] for the directory of one task, whose parent exists.
func CreateAt[T any](ctx context.Context, root string, first T, heads ...Heads) (*Dir[T], error) {
	d, err := newDir[T](root, heads...)
	if err != nil {
		return nil, fmt.Errorf("create state: %w", err)
	}
	if err := d.make(ctx, first); err != nil {
		return nil, err
	}
	return d, nil
}

func newDir[T any](root string, heads ...Heads) (*Dir[T], error) {
	root, err := filepath.Abs(root)
	d := &Dir[T]{Files: Files{root: root, disk: osDisk(root), names: projectFiles}, boot: bootID}
	for _, h := range heads {
		d.heads, d.headsAt = h.disk(), string(h)
	}
	return d, err
}

// Path returns the absolute path of a file below .ferrus, to show it or to pass it to a
// program. It never leads outside.
func (d *Files) Path(elem ...string) string {
	return filepath.Join(d.root, filepath.Join("/", filepath.Join(elem...)))
}

// open opens the directory for one operation. The caller closes it.
func (d *Files) open() (folder, error) {
	f, err := d.disk.open()
	return f, d.describeMissing(err)
}

// Load returns the present state. It takes no lock: the state is whole, and may no longer
// be the newest when Load returns.
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

// shared is the newest state that [Dir.LoadShared] has decoded.
type shared[T any] struct {
	mu    sync.Mutex
	data  []byte   // guarded by mu: what it was decoded from; nil: nothing was yet
	state State[T] // guarded by mu
}

// LoadShared is like [Dir.Load], for callers that read often and never change the result: while the file
// has the same bytes, all callers get the same state, which is decoded once. The bytes are compared, not
// the file's times: two writes within one tick of the clock can leave the same size, and the inode of
// the file before.
func (d *Dir[T]) LoadShared() (State[T], error) {
	s, err := d.loadShared()
	if err != nil {
		return State[T]{}, fmt.Errorf("load state: %w", d.named(err))
	}
	return s, nil
}

func (d *Dir[T]) loadShared() (State[T], error) {
	f, err := d.open()
	if err != nil {
		return State[T]{}, err
	}
	defer f.Close()
	data, err := readWhole(f, d.names.state)
	if err != nil {
		return State[T]{}, d.describeMissing(err)
	}
	d.shared.mu.Lock()
	defer d.shared.mu.Unlock()
	if d.shared.data != nil && bytes.Equal(data, d.shared.data) {
		return d.shared.state, nil
	}
	doc, s, err := decodeDocument[T](data)
	if err == nil {
		d.shared.data, d.shared.state = doc.data, s
	}
	return s, err
}

// decodeDocument decodes and checks what STATE.json has.
func decodeDocument[T any](data []byte) (document, State[T], error) {
	doc, err := parse(data)
	if err != nil {
		return doc, State[T]{}, err
	}
	s, err := decodeState[T](doc)
	if err == nil {
		err = doc.checkHead()
	}
	return doc, s, err
}

// read reads, decodes and checks STATE.json, in both forms.
func (d *Dir[T]) read(f folder) (document, State[T], error) {
	doc, s, err := d.readUnchecked(f)
	if err == nil {
		err = doc.checkHead()
	}
	return doc, s, err
}

// readUnchecked reads STATE.json to show what is recorded, also where it was edited.
func (d *Dir[T]) readUnchecked(f folder) (document, State[T], error) {
	doc, err := d.readDocument(f)
	if err != nil {
		return doc, State[T]{}, err
	}
	s, err := decodeState[T](doc)
	return doc, s, err
}

// readDocument reads STATE.json without the value in it.
func (d *Files) readDocument(f folder) (document, error) {
	data, err := readWhole(f, d.names.state)
	if err != nil {
		return document{}, d.describeMissing(err)
	}
	return d.decodedState.decode(data)
}

// describeMissing turns the error of a missing file into ErrNone, with the project.
func (d *Files) describeMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", filepath.Dir(d.root), ErrNone)
	}
	return err
}

// decodeState returns a state that shares nothing with other decoded ones.
func decodeState[T any](doc document) (State[T], error) {
	s := State[T]{Schema: doc.Schema, Seq: doc.Seq, UpdatedAt: doc.UpdatedAt, OwnerPID: doc.OwnerPID,
		Docs: named(doc.Docs)}
	if err := json.Unmarshal(doc.data, &s.World); err != nil {
		return s, damagedState(doc.data, err)
	}
	return s, nil
}

// ReadText returns a text of a state; empty if it has none. The error is [ErrStale] if
// the state is no longer the newest and its text was removed; the texts of the previous
// state are kept.
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

// missing returns why a text is missing: the state is old, or the file was deleted.
func (d *Dir[T]) missing(f folder, seq uint64, doc Doc) error {
	if now, _, err := d.read(f); err != nil {
		return err
	} else if now.Seq != seq {
		return ErrStale
	}
	return &DamagedError{File: doc.File, Why: "it is missing", Fix: fixDoc}
}
