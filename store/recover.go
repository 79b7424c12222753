package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// recovered is what a Dir has seen in place: nothing need be looked at again
// while STATE.json and the journal are the same.
type recovered struct {
	seq  uint64
	size int64 // of the journal
}

// journal is the open journal.
type journal struct {
	file file
	end  int64 // where the next line goes
}

// finish does what the last writer may have left undone. It looks before it
// touches anything: what makes no sense is left as it is.
func (w *writer[T]) finish() error {
	if err := w.openJournal(); err != nil {
		return err
	}
	w.dir.mu.Lock()
	seen := w.dir.finished
	w.dir.mu.Unlock()
	if seen != nil && *seen == (recovered{w.doc.Seq, w.journal.end}) {
		return nil
	}
	if err := w.finishJournal(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(w.doc.Docs))
	if seen != nil {
		names = w.lastDocs()
	}
	w.project(names, w.doc.Docs)
	w.clearChecks(w.doc.Last)
	w.done(w.doc.Seq)
	return nil
}

// done remembers that everything is in place, unless something is not.
func (w *writer[T]) done(seq uint64) {
	w.dir.mu.Lock()
	defer w.dir.mu.Unlock()
	w.dir.finished = nil
	if w.unfinished == nil {
		w.dir.finished = &recovered{seq, w.journal.end}
	}
}

func (w *writer[T]) openJournal() error {
	file, err := w.folder.edit(journalName)
	if err != nil {
		return err
	}
	w.journal.file = file
	w.journal.end, err = file.size()
	return err
}

// finishJournal makes the journal end with the line of STATE.json.
func (w *writer[T]) finishJournal() error {
	seq, line := w.doc.Seq, w.doc.lastEntry()
	t, err := readTail(w.journal.file, w.journal.end)
	switch {
	case err != nil:
		return err
	case t.newest.Seq > 0 && t.newest.Seq == seq:
		if err := w.checkNewest(t.newest); err != nil {
			return err
		}
		return w.cut(t.end)
	case t.newest.Seq+1 == seq && line.Seq == seq:
		return w.catchUp(t.end)
	case t.newest.Seq == 0:
		return w.beginAnew()
	}
	return &DamagedError{File: journalName, Fix: fixJournal,
		Why: fmt.Sprintf("its newest line is seq %d, and %s is at %d", t.newest.Seq, stateName, seq)}
}

// checkNewest refuses a journal of other events that ends with the right seq.
func (w *writer[T]) checkNewest(newest Entry) error {
	line := w.doc.lastEntry()
	if line.Seq == 0 || line.StateSHA == newest.StateSHA {
		return nil
	}
	if sum, err := w.doc.fingerprint(); err != nil || sum == newest.StateSHA {
		return err // it was begun anew after an edit of STATE.json
	}
	return &DamagedError{File: journalName, Fix: fixJournal,
		Why: fmt.Sprintf("its line of seq %d is not the one that %s keeps", newest.Seq, stateName)}
}

// cut takes away what follows the newest whole line.
func (w *writer[T]) cut(end int64) error {
	if end == w.journal.end {
		return nil
	}
	w.journal.end = end
	return w.journal.file.Truncate(end)
}

// catchUp appends the line that STATE.json keeps. The commit comes first: a
// line must never be durable before the state it leads to.
func (w *writer[T]) catchUp(end int64) error {
	if err := w.folder.syncDir("."); err != nil {
		return err
	}
	if err := w.cut(end); err != nil {
		return err
	}
	return w.appendLine(w.doc.Last.Line)
}

// beginAnew begins a journal where there is none, with a line that holds the
// whole state. A file without any line of ours is kept.
func (w *writer[T]) beginAnew() error {
	if w.journal.end > 0 {
		if err := w.journal.file.Close(); err != nil {
			return err
		}
		if err := moveToLost(w.folder, journalName); err != nil {
			return err
		}
		if err := w.openJournal(); err != nil {
			return err
		}
	}
	if err := w.folder.syncDir("."); err != nil {
		return err
	}
	if w.doc.Seq == 0 {
		return nil
	}
	line, err := w.doc.wholeEntry()
	if err != nil {
		return err
	}
	return w.appendLine(line)
}

// wholeEntry is the newest line with the whole state as its data.
func (d document) wholeEntry() ([]byte, error) {
	line := d.lastEntry()
	if line.Seq == 0 { // somebody took it out of STATE.json
		line.Seq, line.At = d.Seq, d.UpdatedAt
	}
	folded, err := fold(d.members)
	if err != nil {
		return nil, err
	}
	if line.StateSHA, err = fingerprint(folded); err != nil {
		return nil, err
	}
	delete(folded, "seq")
	if line.Data, err = marshal(folded); err != nil {
		return nil, err
	}
	return marshal(line)
}

func (d document) fingerprint() (string, error) {
	folded, err := fold(d.members)
	if err != nil {
		return "", err
	}
	return fingerprint(folded)
}

// appendLine puts one line at the end of the journal.
func (w *writer[T]) appendLine(line []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, line); err != nil {
		return err
	}
	b.WriteByte('\n')
	if _, err := w.journal.file.WriteAt(b.Bytes(), w.journal.end); err != nil {
		return err
	}
	w.journal.end += int64(b.Len())
	return nil
}
