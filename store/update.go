package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Call identifies the call that asks for an update.
type Call struct {
	ID      string // for [Entry].Call; the store compares it with nothing
	Session string // for [Entry].Session, if Record names none

	// Key is made of the session, the tool and its arguments. A call whose Key is that
	// of the newest event is a repetition: it gets the same answer and changes nothing.
	// Empty: the call is never a repetition.
	Key string
}

// UpdateResult is the result of an update.
type UpdateResult[T any] struct {
	State      State[T]        // after the update
	Result     json.RawMessage // of SetResult
	Replayed   bool            // an equal call was accepted before, and Result is its answer
	Unfinished error           // what failed after the commit; the next writer does it
}

// Update runs f while no other process or goroutine updates the directory, and commits
// what it made of tx. An error of f is returned unchanged, and nothing has changed. The
// context ends only the wait for the lock. f must be quick: everyone else waits. It must not
// update the same directory itself: that waits until ctx ends.
//
// If call repeats the newest event, f is not called and nothing changes. An error after the
// commit is no error of Update: it is UpdateResult.Unfinished, and the next writer does what
// is left. The errors of [Dir.Check] are returned before f is called. If f fails, the result
// has the state that is on disk.
func (d *Dir[T]) Update(ctx context.Context, call Call, f func(tx *Tx[T]) error) (UpdateResult[T], error) {
	w, err := d.startWriter(ctx)
	if err != nil {
		return UpdateResult[T]{}, fmt.Errorf("update state: %w", d.named(err))
	}
	defer w.close()
	if w.doc.answers(call) {
		return w.replay(), nil
	}
	tx := &Tx[T]{Seq: w.doc.Seq + 1, World: w.state.World, folder: w.folder, docs: w.doc.Docs,
		texts: map[string]string{}}
	if err := f(tx); err != nil {
		return w.refused(), d.named(err)
	}
	out, err := w.commit(tx, call)
	if err != nil {
		return w.refused(), fmt.Errorf("update state: %w", d.named(err))
	}
	return out, nil
}

// View runs f with a state that stays the newest until f returns, because updates wait.
// An error of f is returned unchanged. The context ends only the wait for the lock; f
// must be quick. Where an older state does no harm, [Dir.Load] takes no lock.
func (d *Dir[T]) View(ctx context.Context, f func(State[T]) error) error {
	w, err := d.startWriter(ctx)
	if err != nil {
		return fmt.Errorf("view state: %w", d.named(err))
	}
	defer w.close()
	return d.named(f(w.state))
}

// refused returns the result of an update that changed nothing, with the state as it is
// on disk: the function may have changed the World that it was given.
func (w *writer[T]) refused() UpdateResult[T] {
	s, err := decodeState[T](w.doc)
	if err != nil {
		panic(err) // it was decoded before
	}
	return UpdateResult[T]{State: s, Unfinished: w.unfinished}
}

// startWriter takes the lock, reads STATE.json, and completes the last writer's work.
func (d *Dir[T]) startWriter(ctx context.Context) (*writer[T], error) {
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	if _, err := f.stat(d.names.state); err != nil { // or a lock file would be made where there is no state
		return nil, errors.Join(d.describeMissing(err), f.Close())
	}
	unlock, err := f.lock(ctx, d.names.lock)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return d.startWriterLocked(f, unlock)
}

// startWriterLocked is startWriter with the lock taken. On an error it releases
// everything.
func (d *Dir[T]) startWriterLocked(f folder, unlock io.Closer) (*writer[T], error) {
	w := &writer[T]{dir: d, folder: f, unlock: unlock}
	var err error
	if w.doc, w.state, err = d.read(f); err == nil {
		err = w.finish()
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// close releases everything. Errors do not matter: the lock ends with the process at the
// latest, and all that was written was synced before.
func (w *writer[T]) close() {
	if w.journal.file != nil {
		w.journal.file.Close()
	}
	if w.keeping.heads != nil {
		w.keeping.heads.Close()
	}
	w.unlock.Close()
	w.folder.Close()
}

// replay answers a call that was accepted before. Its state is durable by now, because
// startWriter syncs the directory before it appends a missing journal entry.
func (w *writer[T]) replay() UpdateResult[T] {
	return UpdateResult[T]{State: w.state, Result: w.doc.Last.Result, Replayed: true, Unfinished: w.unfinished}
}
