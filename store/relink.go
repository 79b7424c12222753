package store

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// The events that the store itself records.
const (
	EventChain  = "chain"  // the journal of an earlier ferrus became a chain
	EventRepair = "repair" // [Dir.Repair] continued a damaged record; why says what it did
	EventAdopt  = "adopt"  // [Dir.Adopt] continued a record that was moved, copied or restored
)

// longestWhy is how much of what a repair did its event says.
const longestWhy = 2000

// whyRepair says of a state that a repair was stopped.
const whyRepair = "a repair of it has not ended"

// damaged reports whether what is wrong is more than a crash leaves, and can be repaired.
// Copies are nothing of the record.
func (e Examination) damaged() bool {
	j := e.Journal
	rewritten := (*DamagedError)(nil)
	return e.evidence.lost || e.Files != nil || errors.As(e.Outside, &rewritten) || j.BadCount > 0 || j.Disconnected+
		j.Broken != "" ||
		slices.ContainsFunc(e.Texts, func(t TextMismatch) bool { return t.Copied })
}

// mark says in STATE.json that a repair has begun, before it changes anything else: one
// that is stopped is then ended by the next, with its event. A STATE.json that has to be
// rebuilt gets the mark with that.
func (r *repair[T]) mark(e Examination) error {
	ev := e.evidence
	if !e.damaged() || ev.lost || ev.truth == nil || e.Unusable != nil || ev.doc.Head != nil && ev.doc.Head.Repair {
		return nil
	}
	w := &writer[T]{dir: r.dir, folder: r.folder}
	var err error
	if w.doc, w.state, err = r.dir.read(r.folder); err != nil {
		return err
	}
	n, err := newNext(w.doc, w.state.World)
	if err != nil {
		return err
	}
	n.Head.Repair = true
	if err := w.replaceState(n); err != nil {
		return err
	}
	return r.folder.syncDir(".")
}

// relink makes the chain hold again, with an event that says what was wrong.
func (r *repair[T]) relink(w *writer[T], e Examination) error {
	if err := w.makeJournal(); err != nil {
		return err
	}
	if w.journal.end > 0 {
		if err := w.finishJournal(); err != nil {
			return err
		}
	}
	w.project(slices.Sorted(maps.Keys(w.doc.Docs)), w.doc.Docs)
	w.clearChecks(w.doc.Last)
	if err := w.keepAnew(); err != nil {
		return err
	}
	v, err := verifyChain(w.journal.file, w.journal.end)
	if err != nil {
		return err
	}
	if rewritten := (*DamagedError)(nil); errors.As(e.Outside, &rewritten) {
		r.fixed("the record continues although ferrus did not leave it so: %s", rewritten.Why)
	}
	if e.Files != nil {
		r.fixed("the files are kept as they are: %v", e.Files)
		if err := r.dropForged(); err != nil {
			return err
		}
		if err := r.dir.beginSums(r.folder); err != nil {
			return err
		}
	}
	if v.broken != "" {
		r.fixed("%s: its chain was broken, %s; its content is kept unchanged", journalName, v.broken)
	}
	if len(r.Fixed) == 0 {
		r.fixed("%s: %s; its content is kept unchanged", journalName, e.Journal.Broken)
	}
	why := strings.Join(r.Fixed, "; ")
	return w.recordOwn(EventRepair, why[:min(len(why), longestWhy)], v)
}

// head returns the head of a rebuilt state. Its project is taken from the file that is
// replaced, if that can still be read.
func (ev evidence) head() *head {
	h := newHead()
	h.Repair = true
	if old := ev.doc.Head; old != nil && old.check() == nil {
		h.Project = old.Project
	}
	if line, ok := parseEntry(ev.line); ok {
		h.Seq, h.SHA256 = line.Seq, sha(ev.line)
	}
	return h
}
