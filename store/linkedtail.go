package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// finishChain makes the journal end with the newest entry of STATE.json, and compares its
// last two lines with the head. Of what a crash can leave it knows three ends: complete,
// one entry short, and that with a part of the entry. All else is damage.
func (w *writer[T]) finishChain() error {
	if w.doc.Head.Repair {
		return &DamagedError{File: stateName, Why: whyRepair, Fix: fixRepair}
	}
	if w.doc.Seq == 0 {
		if w.journal.end > 0 {
			return damagedChain("it has lines, and %s has no event", stateName)
		}
		return w.folder.syncDir(".") // its writer may have died before it was durable
	}
	if sum, err := w.doc.fingerprint(); err != nil || sum != w.doc.lastEntry().StateSHA {
		return errors.Join(err, &DamagedError{File: stateName, Fix: fixRepair,
			Why: "it is not the state that its newest entry led to"})
	}
	line := append(slices.Clone(w.doc.Last.Line), '\n')
	begin := w.journal.end - int64(len(line))
	if begin >= 0 {
		end := make([]byte, len(line))
		if _, err := w.journal.file.ReadAt(end, begin); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if bytes.Equal(end, line) {
			return w.checkLinked(begin, w.doc.Last.Line)
		}
	}
	end, err := w.tornEnd(line)
	if err != nil {
		return err
	}
	return w.catchUp(end)
}

// checkLinked compares the two lines that end at an offset with the hash that the next one
// names. It needs two, because after a crash the newest is still to be appended.
func (w *writer[T]) checkLinked(offset int64, next []byte) error {
	for range 2 {
		prev, linked := prevOf(next)
		if !linked || offset == 0 && prev == noHash {
			return nil
		}
		b := backwardReader{file: w.journal.file, start: offset}
		line, begin, err := b.previous()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || begin+int64(len(line))+1 != offset || sha(line) != prev {
			return damagedChain("the line that ends at byte %d is not the one that its next line names", offset)
		}
		if prefixOf(next) != nil {
			return nil // it vouches for all before it, whether they are linked or not
		}
		next, offset = line, begin
	}
	return nil
}

// tornEnd returns the offset at which the entry that STATE.json keeps has to be appended:
// after the line that it names, where there is nothing or what a crash left of the entry.
func (w *writer[T]) tornEnd(line []byte) (int64, error) {
	size := w.journal.end
	start := max(0, size-int64(len(line))-1)
	rest := make([]byte, size-start)
	if _, err := w.journal.file.ReadAt(rest, start); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	for at := len(rest); at >= 0; at-- {
		if at > 0 && rest[at-1] != '\n' || at == 0 && start > 0 || !isTorn(rest[at:], line) {
			continue
		}
		if w.checkLinked(start+int64(at), w.doc.Last.Line) == nil {
			return start + int64(at), nil
		}
	}
	return 0, damagedChain("it does not end with the entry of seq %d that %s keeps, nor with the previous one",
		w.doc.Seq, stateName)
}

// shortestHole is how many zeros in a row count as what the disk had not written yet,
// except at either end.
const shortestHole = 16

// isTorn reports whether bytes are what a crash can leave of a line: its beginning, with
// zeros where the disk had written nothing yet.
func isTorn(data, line []byte) bool {
	if len(data) > len(line) {
		return false
	}
	for at := 0; at < len(data); {
		zeros := len(data[at:]) - len(bytes.TrimLeft(data[at:], "\x00"))
		switch {
		case zeros > 0 && (at == 0 || at+zeros == len(data) || zeros >= shortestHole):
			at += zeros
		case data[at] != line[at]:
			return false
		default:
			at++
		}
	}
	return true
}

// damagedChain reports a journal that is not the one named by STATE.json.
func damagedChain(format string, a ...any) *DamagedError {
	return &DamagedError{File: journalName, Why: fmt.Sprintf(format, a...), Fix: fixRepair}
}
