package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Adopt continues a .ferrus that was moved, copied or restored, with the event
// [EventAdopt], which says which. Two copies then continue independently, each with a head
// of its own. It returns the event's reason; empty if there was nothing to adopt. A record
// whose chain is broken is refused with a *[DamagedError]: repair it first.
func (d *Dir[T]) Adopt(ctx context.Context) (string, error) {
	f, err := d.open()
	if err != nil {
		return "", fmt.Errorf("adopt the state: %w", err)
	}
	unlock, err := f.lock(ctx, d.names.lock)
	if err != nil {
		return "", errors.Join(fmt.Errorf("adopt the state: %w", d.named(err)), f.Close())
	}
	w := &writer[T]{dir: d, folder: f, unlock: unlock}
	defer w.close()
	w.keeping.adopt = true
	why, err := w.adopt()
	if err != nil {
		return "", fmt.Errorf("adopt the state: %w", d.named(err))
	}
	return why, nil
}

func (w *writer[T]) adopt() (string, error) {
	var err error
	if w.doc, w.state, err = w.dir.read(w.folder); err == nil {
		err = w.finish()
	}
	if err != nil {
		return "", err
	}
	at := w.keeping.place
	if at == nil {
		if err := w.dir.compareSums(w.folder); !errors.As(err, &at) {
			return "", nil //nolint:nilerr // other damage is for a repair
		}
	}
	v, err := verifyChain(w.journal.file, w.journal.end)
	if err == nil && (v.broken != "" || v.head != w.doc.Head.SHA256) {
		err = damagedChain("its chain is broken, %s", v.broken)
	}
	if err != nil {
		return "", err
	}
	if at.copied {
		w.doc.Head.Project = newHead().Project
	}
	w.keeping.place = nil
	adoptSums := func() error { return w.dir.adoptSums(w.folder) }
	record := func() error { return w.recordOwn(EventAdopt, ".ferrus "+at.Why, nil) }
	steps := []func() error{adoptSums, record}
	if at.copied { // the sums of the original are not touched: the event gives this one another name
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return "", err
		}
	}
	return at.Why, nil
}

// Check compares the end of the record with what was written, as each update does before
// it decides. It returns the errors of [Dir.Verify].
func (d *Dir[T]) Check(ctx context.Context) error {
	return d.View(ctx, func(State[T]) error { return nil })
}

// Verify compares the whole record with what was written: the journal with its chain, the
// state with the head, inside and outside, and the texts. An update compares only the end
// of the journal. The error is a *[DamagedError] or a *[PlaceError], and nothing changed.
func (d *Dir[T]) Verify(ctx context.Context) error {
	w, err := d.startWriter(ctx)
	if err != nil {
		return fmt.Errorf("verify the record: %w", d.named(err))
	}
	size, head, docs := w.journal.end, w.doc.Head.SHA256, w.doc.Docs
	for _, doc := range named(docs) {
		if _, err = readDoc(w.folder, doc); isMissing(err) {
			err = &DamagedError{File: doc.File, Why: "it is missing", Fix: fixDoc}
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = d.compareSums(w.folder)
	}
	w.close()
	if err == nil {
		err = d.verifyJournal(size, head) // only its end changes while others write
	}
	if err != nil {
		return fmt.Errorf("verify the record: %w", d.named(err))
	}
	return nil
}

// verifyJournal compares the chain of the first bytes of the journal with their head.
func (d *Dir[T]) verifyJournal(size int64, head string) error {
	f, err := d.open()
	if err != nil {
		return err
	}
	defer f.Close()
	file, err := f.open(journalName)
	if err != nil {
		return err
	}
	defer file.Close()
	v, err := d.knownChain.verify(file, size)
	switch {
	case err != nil:
		return err
	case v.broken != "":
		return damagedChain("its chain is broken, %s", v.broken)
	case v.head != head || v.after > 0:
		return damagedChain("its newest line is not the one at the head in %s", stateName)
	}
	return nil
}

// HeadProblem returns why the head of the record cannot be saved outside the project;
// empty if it can, or if it need not be.
func (d *Dir[T]) HeadProblem() string {
	w := &writer[T]{dir: d}
	if err := w.openHeads(); err != nil {
		return err.Error()
	}
	if w.keeping.heads != nil && !w.unwritable() {
		w.keeping.heads.Close()
	}
	return w.keeping.why
}
