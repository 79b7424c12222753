package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// finish completes what the last writer may not have done after its commit: the journal
// entry, the copies of the texts, the removal of archived checks. It checks the journal
// before it changes anything; one that makes no sense is an error and is left alone.
func (w *writer[T]) finish() error {
	if err := w.openJournal(); err != nil {
		return err
	}
	w.dir.mu.Lock()
	seen := w.dir.finished
	w.dir.mu.Unlock()
	chained := w.doc.Head != nil
	finish := w.finishJournal
	if chained {
		finish = w.finishChain
		if err := w.checkKept(); err != nil {
			return err
		}
	}
	if err := finish(); err != nil {
		return err
	}
	if chained {
		w.unfinished = w.confirm(*w.doc.Head)
	}
	if chained && seen != nil && *seen == (recovered{w.doc.Seq, w.journal.end}) {
		return nil
	}
	names := slices.Sorted(maps.Keys(w.doc.Docs))
	if seen != nil {
		names = w.lastDocs()
	}
	w.project(names, w.doc.Docs)
	w.clearChecks(w.doc.Last)
	w.done(w.doc.Seq)
	if !chained {
		return w.beginChain()
	}
	return nil
}

// done remembers that the writer's work is complete, unless some of it failed.
func (w *writer[T]) done(seq uint64) {
	w.dir.mu.Lock()
	defer w.dir.mu.Unlock()
	w.dir.finished = nil
	if w.unfinished == nil {
		w.dir.finished = &recovered{seq, w.journal.end}
	}
}

// openJournal opens the journal. The one of a chain was there before its first state.
func (w *writer[T]) openJournal() error {
	if w.doc.Head != nil {
		if _, err := w.folder.stat(journalName); errors.Is(err, fs.ErrNotExist) {
			return &DamagedError{File: journalName, Why: "it is missing", Fix: fixRepair}
		}
	}
	return w.makeJournal()
}

// makeJournal opens the journal, and makes it durably if there is none.
func (w *writer[T]) makeJournal() error {
	_, missing := w.folder.stat(journalName)
	file, err := w.folder.edit(journalName)
	if err != nil {
		return err
	}
	w.journal.file = file
	w.journal.end, err = file.size()
	if err == nil && missing != nil {
		err = w.folder.syncDir(".")
	}
	return err
}

// finishJournal makes the journal of an earlier ferrus end with the newest entry of
// STATE.json. It knows the three ends that a crash can leave: complete, one entry short,
// and torn.
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
	case t.newest.Seq == 0 && seq == 0 && w.journal.end == 0:
		return nil
	}
	return &DamagedError{File: journalName, Fix: fixRepair,
		Why: fmt.Sprintf("its newest entry is seq %d, and %s is at %d", t.newest.Seq, stateName, seq)}
}

// checkNewest refuses a journal with other events that happens to end with the right
// seq.
func (w *writer[T]) checkNewest(newest Entry) error {
	line := w.doc.lastEntry()
	if line.Seq == 0 || line.StateSHA == newest.StateSHA {
		return nil
	}
	if sum, err := w.doc.fingerprint(); err != nil || sum == newest.StateSHA {
		return err // it was started anew after an edit of STATE.json
	}
	return &DamagedError{File: journalName, Fix: fixRepair,
		Why: fmt.Sprintf("its entry of seq %d is not the one that %s keeps", newest.Seq, stateName)}
}

// cut truncates the journal after its newest whole entry.
func (w *writer[T]) cut(end int64) error {
	if end == w.journal.end {
		return nil
	}
	w.journal.end = end
	return w.journal.file.Truncate(end)
}

// catchUp appends the entry that STATE.json keeps. It syncs the directory first: an
// entry must never be durable before the commit of the state it leads to.
func (w *writer[T]) catchUp(end int64) error {
	if err := w.folder.syncDir("."); err != nil {
		return err
	}
	if err := w.cut(end); err != nil {
		return err
	}
	return w.appendLine(w.doc.Last.Line)
}

func (d document) fingerprint() (string, error) {
	folded, err := fold(d.members)
	if err != nil {
		return "", err
	}
	return fingerprint(folded)
}

// appendLine appends one entry to the journal. It is synced by the next writer: until
// then STATE.json has the entry too.
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
