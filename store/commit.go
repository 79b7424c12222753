package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// commit writes what f decided. The package doc has the order; a crash at any point is
// completed or discarded by the next writer.
func (w *writer[T]) commit(tx *Tx[T], call Call) (UpdateResult[T], error) {
	if err := tx.check(); err != nil {
		return UpdateResult[T]{}, err
	}
	result, err := encodeResult(tx.result)
	if err != nil {
		return UpdateResult[T]{}, err
	}
	out := UpdateResult[T]{State: w.state, Result: result}
	switch {
	case tx.event != nil:
		out.State, err = w.record(tx, call, result)
	case tx.renew:
		out.State, err = w.renew(tx)
	}
	out.Unfinished = w.unfinished
	return out, err
}

// encodeResult encodes the answer to a call; nil: none.
func encodeResult(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	data, err := marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return data, nil
}

// renew replaces STATE.json by one that differs only in members that are not in the
// journal. Either file is a valid state after a crash, so the directory is not synced.
func (w *writer[T]) renew(tx *Tx[T]) (State[T], error) {
	n, err := newNext(w.doc, tx.World)
	if err != nil {
		return State[T]{}, err
	}
	before, after, err := w.bothFolded(n)
	if err != nil {
		return State[T]{}, err
	}
	if changed := difference(before, after); len(changed) > 0 {
		return State[T]{}, fmt.Errorf("a renewal cannot change %v", slices.Sorted(maps.Keys(changed)))
	}
	if err := w.writeState(n); err != nil {
		return State[T]{}, err
	}
	if err := w.confirm(*w.doc.Head, n.Head.Sum); err != nil {
		return State[T]{}, err
	}
	if err := w.folder.rename(w.dir.names.temp, w.dir.names.state); err != nil {
		return State[T]{}, err
	}
	w.unfinished = errors.Join(w.unfinished, w.confirm(*n.Head))
	return stateOf(n, tx.World), nil
}

// record writes an event and the state that it leads to. The rename is the commit.
func (w *writer[T]) record(tx *Tx[T], call Call, result json.RawMessage) (State[T], error) {
	n, err := newNext(w.doc, tx.World)
	if err != nil {
		return State[T]{}, err
	}
	var changed []string
	n.Seq = tx.Seq
	n.Docs, changed = tx.nextDocs()
	line, err := w.newEntry(n, tx.event, call)
	if err != nil {
		return State[T]{}, err
	}
	n.Head.Seq, n.Head.SHA256, n.Head.Repair, n.Head.Bound = n.Seq, sha(line), false, true
	if err := w.keepSums(); err != nil {
		return State[T]{}, err
	}
	n.Last = &last{Line: line, Call: call.Key, Result: result, Archived: tx.archive}
	if err := w.prepare(tx, n, changed); err != nil {
		return State[T]{}, err
	}
	if err := w.folder.rename(w.dir.names.temp, w.dir.names.state); err != nil {
		return State[T]{}, err
	}
	if err := w.folder.syncDir("."); err != nil {
		return State[T]{}, fmt.Errorf("%w: the change may have been made, load again to know", err)
	}
	w.fresh = tx.texts
	w.after(n, changed)
	return stateOf(n, tx.World), nil
}

// keepSums begins to keep the hashes of the files, if an earlier ferrus kept none.
func (w *writer[T]) keepSums() error {
	_, err := w.dir.readSums(w.folder)
	if isMissing(err) {
		return w.dir.beginSums(w.folder)
	}
	return err
}

// newEntry returns the journal entry of an event: the difference between the two states,
// and the fingerprint of the new one.
func (w *writer[T]) newEntry(n next, e *event, call Call) (json.RawMessage, error) {
	before, after, err := w.bothFolded(n)
	if err != nil {
		return nil, err
	}
	line := Entry{
		Seq: n.Seq, At: n.UpdatedAt, Event: e.name, By: e.by, Via: e.via, Session: e.session, Call: call.ID,
		From: stateWord(before), To: stateWord(after), Why: e.why, Before: e.before, Prev: n.Head.SHA256,
	}
	if line.Session == "" {
		line.Session = call.Session
	}
	if w.journal.end == 0 {
		before = nil // the first entry contains the whole state
	}
	patch := difference(before, after)
	delete(patch, "seq")
	if line.Data, err = marshal(patch); err != nil {
		return nil, err
	}
	if line.StateSHA, err = fingerprint(after); err != nil {
		return nil, err
	}
	return marshal(line)
}

// bothFolded returns the members before and after an update that the journal gives.
func (w *writer[T]) bothFolded(n next) (before, after map[string]any, err error) {
	if before, err = fold(w.doc.members); err == nil {
		after, err = n.folded()
	}
	return before, after, err
}

// stateWord returns the member "state" of T, or its member "phase"; empty if it has none.
func stateWord(folded map[string]any) string {
	for _, member := range []string{"state", "phase"} {
		if word, ok := folded[member].(string); ok {
			return word
		}
	}
	return ""
}

// prepare makes durable what the new state names, the journal so far, and the new state
// under its temporary name. None depends on another, so the disk can sync all at once.
func (w *writer[T]) prepare(tx *Tx[T], n next, changed []string) error {
	if tx.archive != "" {
		if err := w.archive(tx.archive); err != nil {
			return fmt.Errorf("archive %s: %w", tx.archive, err)
		}
	}
	n.Head.Unkept = w.keeping.why
	project, announced := n.Head.Project, n.Head.point() // writeState completes the head meanwhile
	err := w.folder.together(
		func() error { return w.writeTexts(tx, n.Docs, changed) },
		w.journal.file.syncData,
		func() error { return w.writeState(n) },
		func() error { return w.announce(project, announced) },
	)
	if err == nil && n.Head.Unkept != w.keeping.why {
		n.Head.Unkept = w.keeping.why
		err = w.writeState(n)
	}
	return err
}

// writeTexts writes the changed texts to new files and makes their names durable. The
// files of the present state are not touched, so a crash leaves it whole.
func (w *writer[T]) writeTexts(tx *Tx[T], docs map[string]Doc, changed []string) error {
	wrote := false
	for _, name := range changed {
		if docs[name].File == "" {
			continue
		}
		if err := writeNew(w.folder, docs[name].File, []byte(tx.texts[name]), true); err != nil {
			return err
		}
		wrote = true
	}
	if !wrote {
		return nil
	}
	return w.folder.syncDir(docsDir)
}

// writeState writes a new STATE.json under its temporary name, durably.
func (w *writer[T]) writeState(n next) error {
	data, err := n.encode()
	if err != nil {
		return err
	}
	if len(data) > fileLimit {
		return fmt.Errorf("%s would be larger than %d MiB", stateName, fileLimit>>20)
	}
	return writeNew(w.folder, w.dir.names.temp, data, true)
}

// replaceState replaces STATE.json atomically. The caller syncs the directory.
func (w *writer[T]) replaceState(n next) error {
	if err := w.writeState(n); err != nil {
		return err
	}
	return w.folder.rename(w.dir.names.temp, w.dir.names.state)
}

// after does what follows the commit. None of it can fail the update: what fails is
// noted, and the next writer does it.
func (w *writer[T]) after(n next, changed []string) {
	if err := w.appendLine(n.Last.Line); err != nil {
		w.unfinished = errors.Join(w.unfinished, fmt.Errorf("append to journal: %w", err))
	} else {
		w.unfinished = errors.Join(w.unfinished, w.confirm(*n.Head))
	}
	w.project(changed, n.Docs)
	w.clearChecks(n.Last)
	if len(changed) > 0 {
		w.sweepDocs(w.doc.Docs, n.Docs)
	}
	w.done(n.Seq)
}

func stateOf[T any](n next, world T) State[T] {
	return State[T]{Schema: n.Schema, Seq: n.Seq, UpdatedAt: n.UpdatedAt, OwnerPID: n.OwnerPID,
		Docs: named(n.Docs), World: world}
}
