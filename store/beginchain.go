package store

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// beginChain makes a chain of the journal of an earlier ferrus, with an event that vouches
// for all lines before it. Where nothing has happened yet, the first event begins it.
func (w *writer[T]) beginChain() error {
	v, err := verifyChain(w.journal.file, w.journal.end)
	if err != nil {
		return err
	}
	if v.linked {
		return &DamagedError{File: stateName, Why: "its head is missing, but its journal is chained", Fix: fixRepair}
	}
	if err := w.refuseKept(); err != nil {
		return err
	}
	if w.doc.Seq == 0 {
		err = w.addHead()
	} else if err = w.proveJournal(); err == nil {
		err = w.recordOwn(EventChain, fmt.Sprintf("from here on each line has the hash of the previous one; this one "+
			"vouches for %d lines", v.lines), v)
	}
	if err != nil {
		return fmt.Errorf("start the chain of the journal: %w", err)
	}
	return nil
}

// addHead gives a state in which nothing has happened its head.
func (w *writer[T]) addHead() error {
	n, err := newNext(w.doc, w.state.World)
	if err == nil {
		err = w.replaceState(n)
	}
	if err == nil {
		w.doc, w.state, err = w.dir.read(w.folder)
	}
	return err
}

// proveJournal refuses a journal whose entries do not lead to STATE.json.
func (w *writer[T]) proveJournal() error {
	c, err := traceJournal(w.folder, w.doc.Seq)
	if err != nil {
		return err
	}
	sum, err := w.doc.fingerprint()
	if err == nil && (c.badCount > 0 || c.newest != w.doc.Seq || c.newestSHA != sum) {
		err = damagedChain("its entries do not lead to %s", stateName)
	}
	return err
}

// refuseKept refuses a state without a head where one is kept outside: it had one.
func (w *writer[T]) refuseKept() error {
	if err := w.openHeads(); err != nil || w.keeping.heads == nil {
		return err
	}
	path, _ := w.dir.place()
	k, ok, err := findKept(w.keeping.heads, path)
	if ok {
		err = &DamagedError{File: stateName, Fix: fixRepair,
			Why: fmt.Sprintf("its head is missing, although ferrus left it at seq %d with one", k.Seq)}
	}
	return err
}

// recordOwn records an event of the store itself. The state is what it was, and an equal
// call gets its answer again. The event vouches for the journal that a verifier has read;
// nil: only for the line before it.
func (w *writer[T]) recordOwn(name, why string, v *chainVerifier) error {
	tx := &Tx[T]{Seq: w.doc.Seq + 1, World: w.state.World, folder: w.folder, docs: w.doc.Docs}
	tx.event = &event{name: name, by: "ferrus", why: why}
	if v != nil {
		if w.doc.Head == nil {
			w.doc.Head = newHead()
		}
		tx.event.before, w.doc.Head.SHA256 = v.prefix(), v.head
	}
	var call Call
	var result json.RawMessage
	if w.doc.Last != nil {
		call.Key, result = w.doc.Last.Call, w.doc.Last.Result
	}
	if _, err := w.record(tx, call, result); err != nil {
		return err
	}
	var err error
	w.doc, w.state, err = w.dir.read(w.folder)
	return err
}

// prefix returns what was read, for an entry that vouches for it; nil if that is nothing.
func (v *chainVerifier) prefix() *Prefix {
	if v.end == 0 {
		return nil
	}
	return &Prefix{Bytes: v.end, SHA256: hex.EncodeToString(v.whole.Sum(nil))}
}

// examineChain returns where the chain of a journal does not hold, or does not end at the
// head of STATE.json; empty if it does.
func examineChain(f folder, s seen) (string, error) {
	file, size, err := openLog(f, journalName)
	if err != nil {
		return "", err
	}
	v := &chainVerifier{head: noHash}
	if file != nil {
		defer file.Close()
		if v, err = verifyChain(file, size); err != nil {
			return "", err
		}
	}
	h := s.doc.Head
	behind := h != nil && s.doc.Last != nil && h.SHA256 == sha(s.raw) && v.endsBefore(s.raw)
	switch {
	case h != nil && h.Repair:
		return whyRepair, nil
	case v.broken != "":
		return v.broken, nil
	case h == nil && s.err == nil && v.linked:
		return stateName + " has no head, and the journal is a chain", nil
	case h != nil && v.head != h.SHA256 && !behind:
		return "its newest line is not the one at the head in " + stateName, nil
	case h != nil && v.after > 0 && !behind:
		return fmt.Sprintf("%d bytes after its newest line belong to no line", v.after), nil
	}
	return "", nil
}

// endsBefore reports whether only the last line is missing; a crash may have left a part of
// it.
func (v *chainVerifier) endsBefore(line []byte) bool {
	prev, _ := prevOf(line)
	return v.head == prev && v.after == int64(len(v.torn)) && isTorn(v.torn, append(slices.Clone(line), '\n'))
}
