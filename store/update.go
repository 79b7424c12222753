package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Call says who asks for an update.
type Call struct {
	ID      string // of the call, for the journal
	Session string // for the journal, when the event names none
	Key     string // session, tool and arguments: an equal call that comes while its event is the newest gets the same answer and changes nothing. Empty: never
}

// UpdateResult is what an update came to.
type UpdateResult[T any] struct {
	State      State[T]        // after it
	Result     json.RawMessage // of SetResult
	Replayed   bool            // an equal call had been accepted, and its result is here
	Unfinished error           // what could not be done after the commit; the next writer does it
}

// Update runs f alone among all that use the directory, and commits what it
// made of tx. An error of f comes back as it is, and nothing has changed. The
// context ends the wait for the lock and nothing else; f must be quick.
func (d *Dir[T]) Update(ctx context.Context, call Call, f func(tx *Tx[T]) error) (UpdateResult[T], error) {
	w, err := d.startWriter(ctx)
	if err != nil {
		return UpdateResult[T]{}, fmt.Errorf("update state: %w", d.named(err))
	}
	defer w.close()
	if w.doc.answers(call) {
		return w.replay(), nil
	}
	tx := &Tx[T]{Seq: w.doc.Seq + 1, World: w.state.World, folder: w.folder, docs: w.doc.Docs, texts: map[string]string{}}
	if err := f(tx); err != nil {
		return w.refused(), d.named(err)
	}
	out, err := w.commit(tx, call)
	if err != nil {
		return w.refused(), fmt.Errorf("update state: %w", d.named(err))
	}
	return out, nil
}

// View runs f alone among all that use the directory, with the state as it is until f
// returns: whoever wants to change it waits. An error of f comes back as it is. The
// context ends the wait for the lock and nothing else; f must be quick. To look at a
// state that may be older by then, [Dir.Load] takes no lock.
func (d *Dir[T]) View(ctx context.Context, f func(State[T]) error) error {
	w, err := d.startWriter(ctx)
	if err != nil {
		return fmt.Errorf("view state: %w", d.named(err))
	}
	defer w.close()
	return d.named(f(w.state))
}

// refused is the outcome that changed nothing. What the function did to the
// World that it was given is not in it.
func (w *writer[T]) refused() UpdateResult[T] {
	s, err := decodeState[T](w.doc)
	if err != nil {
		panic(err) // it was decoded before
	}
	return UpdateResult[T]{State: s, Unfinished: w.unfinished}
}

// writer is the one who holds the lock.
type writer[T any] struct {
	dir        *Dir[T]
	folder     folder
	unlock     io.Closer
	doc        document // STATE.json
	state      State[T] // the same for callers
	journal    journal
	fresh      map[string]string // texts of this commit: their copies are certainly old
	unfinished error             // of what the next writer can do as well
}

// startWriter takes the lock, reads STATE.json, and finishes the last writer's work.
func (d *Dir[T]) startWriter(ctx context.Context) (*writer[T], error) {
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	if _, err := f.stat(d.files.state); err != nil { // before a lock is made where nothing is
		return nil, errors.Join(d.describeMissing(err), f.Close())
	}
	unlock, err := f.lock(ctx, d.files.lock)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return d.startWriterLocked(f, unlock)
}

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

// close gives everything back. The lock goes with the process at the latest, and
// closing what was only read cannot lose anything.
func (w *writer[T]) close() {
	if w.journal.file != nil {
		w.journal.file.Close()
	}
	w.unlock.Close()
	w.folder.Close()
}

// replay answers a call that was accepted before. That its state is durable is
// known by now: the journal gets no line before.
func (w *writer[T]) replay() UpdateResult[T] {
	return UpdateResult[T]{State: w.state, Result: w.doc.Last.Result, Replayed: true, Unfinished: w.unfinished}
}
