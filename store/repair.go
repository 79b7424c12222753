package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Repaired says in sentences what Repair fixed and what it could not.
type Repaired struct{ Fixed, Unfixed []string }

// Repair rebuilds what can be proved: a text from its copy, STATE.json from the journal,
// the journal without the lines that do not continue the journal, and the copies. It guesses
// nothing. Sound refuses a state that has the right types and makes no sense. What is
// replaced is kept in lost, as <name>.before-repair-<unix time>. A repair that is killed
// can be run again.
func (d *Dir[T]) Repair(ctx context.Context, sound func(T) error) (Repaired, error) {
	f, err := d.open()
	if err != nil {
		return Repaired{}, fmt.Errorf("repair state: %w", err)
	}
	defer f.Close()
	unlock, err := f.lock(ctx, d.names.lock)
	if err != nil {
		return Repaired{}, fmt.Errorf("repair state: %w", d.named(err))
	}
	defer unlock.Close()
	r := &repair[T]{dir: d, folder: f, sound: sound}
	d.mu.Lock()
	d.finished = nil
	d.mu.Unlock()
	if err := r.run(); err != nil {
		return r.Repaired, fmt.Errorf("repair state: %w", d.named(err))
	}
	return r.Repaired, nil
}

// repair is one run of Repair, under the lock.
type repair[T any] struct {
	Repaired
	dir    *Dir[T]
	folder folder
	sound  func(T) error
}

// fixed and unfixed add a sentence to the result.
func (r *repair[T]) fixed(format string, a ...any) {
	r.Fixed = append(r.Fixed, fmt.Sprintf(format, a...))
}
func (r *repair[T]) unfixed(format string, a ...any) {
	r.Unfixed = append(r.Unfixed, fmt.Sprintf(format, a...))
}

// run repairs what others depend on first, and examines again after each step.
func (r *repair[T]) run() error {
	for _, dir := range []string{docsDir, "."} { // the work of a repair that died may not be durable
		if err := ignoreMissing(r.folder.syncDir(dir)); err != nil {
			return err
		}
	}
	if err := r.mark(r.dir.examine(r.folder)); err != nil {
		return err
	}
	if err := r.texts(r.dir.examine(r.folder)); err != nil {
		return err
	}
	if ok, err := r.state(r.dir.examine(r.folder)); err != nil || !ok {
		return err
	}
	if ok, err := r.journal(r.dir.examine(r.folder)); err != nil || !ok {
		return err
	}
	return r.rest(r.dir.examine(r.folder))
}

// texts restores each text whose copy has the right hash.
func (r *repair[T]) texts(e Examination) error {
	for _, t := range e.Texts {
		if !t.Copied {
			r.unfixed("%s: %s is lost (%v), and its copy is not what was written: restore the text, or run: "+
				"ferrus reset", t.Name, t.File, t.Why)
			continue
		}
		text, err := readWhole(r.folder, t.Name)
		if err != nil {
			return err
		}
		if err := copyToLost(r.folder, t.File); err != nil {
			return err
		}
		if err := replace(r.folder, t.File, text, true); err != nil {
			return err
		}
		r.fixed("%s was restored from its copy %s, which has the right hash", t.File, t.Name)
	}
	return nil
}

// state restores STATE.json as its events made it; false if that is not possible.
func (r *repair[T]) state(e Examination) (bool, error) {
	ev := e.evidence
	var newer *NewerError
	var older *OlderError
	switch {
	case !ev.lost && e.Journal.Disconnected != "" && ev.truth == nil:
		r.unfixed("%s and %s contain different histories: %s; restore the wrong one from a backup, or move %[2]s "+
			"away to keep %[1]s", stateName, journalName, e.Journal.Disconnected)
		return false, nil
	case !ev.lost:
		return true, nil
	case errors.As(e.Unusable, &newer) && len(e.Edits) == 0:
		r.unfixed("%v", newer)
		return false, nil
	case errors.As(e.Unusable, &older) && ev.truth == nil:
		r.unfixed("%v", older)
		return false, nil
	case ev.truth == nil:
		r.unfixed("%s cannot be rebuilt: the journal does not lead to its newest event; restore .ferrus from a "+
			"backup, or move %[1]s away and run: ferrus init", stateName)
		return false, nil
	case len(e.Texts) > 0:
		r.unfixed("%s cannot be rebuilt while %s is not what was written", stateName, e.Texts[0].File)
		return false, nil
	}
	n, err := r.rebuilt(ev)
	if err != nil {
		r.unfixed("%s cannot be rebuilt: %v; restore .ferrus from a backup, or move %[1]s away and run: ferrus init",
			stateName, err)
		return false, nil
	}
	if err := copyToLost(r.folder, r.dir.names.state); err != nil {
		return false, err
	}
	w := &writer[T]{dir: r.dir, folder: r.folder}
	if err := w.replaceState(n); err != nil {
		return false, err
	}
	r.fixed("%s was rebuilt from the journal, as seq %d left it", stateName, n.Seq)
	for _, edit := range e.Edits {
		r.fixed("%s: %s is %s again, not %s", stateName, edit.Member, orNothing(edit.Want), orNothing(edit.Have))
	}
	return true, r.folder.syncDir(".")
}

// orNothing returns a value as a sentence names it; an empty one was left out.
func orNothing(value string) string {
	if value == "" {
		return "left out"
	}
	return value
}

// rebuilt returns a STATE.json with the proved members. The lease in it has no end, so it
// counts as expired; its holder renews it.
func (r *repair[T]) rebuilt(ev evidence) (next, error) {
	data, err := marshal(ev.truth)
	if err != nil {
		return next{}, err
	}
	var world T
	if err := json.Unmarshal(data, &world); err != nil {
		return next{}, err
	}
	if r.sound != nil {
		if err := r.sound(world); err != nil {
			return next{}, err
		}
	}
	var doc document
	if err := json.Unmarshal(data, &doc.envelope); err != nil {
		return next{}, err
	}
	if err := doc.check(); err != nil {
		return next{}, err
	}
	doc.Head = ev.head()
	n, err := newNext(doc, world)
	if err != nil {
		return n, err
	}
	if ev.line != nil {
		n.Last = &last{Line: ev.line}
	}
	return n, r.proves(n, ev.truth)
}

// proves returns an error if the new STATE.json differs from what is proved, for example
// because another version of ferrus wrote a member that this one does not know.
func (r *repair[T]) proves(n next, truth map[string]any) error {
	folded, err := n.folded()
	if err != nil {
		return err
	}
	if wrong := edits("", truth, folded); len(wrong) > 0 {
		return fmt.Errorf("this ferrus would write %s as %s, and the journal has %s", wrong[0].Member,
			orNothing(wrong[0].Have), orNothing(wrong[0].Want))
	}
	return nil
}

// journal removes the lines that do not continue the journal. A journal that does not lead to
// STATE.json is moved to lost, and rest starts a new one. It returns false if the
// journal cannot be read.
func (r *repair[T]) journal(e Examination) (bool, error) {
	j, c := e.Journal, e.evidence.chain
	switch {
	case j.Unreadable != nil:
		r.unfixed("%s: %v", journalName, j.Unreadable)
		return false, nil
	case j.Disconnected != "" || j.BadCount > 0 && c.newest == 0:
		if err := linkToLost(r.folder, journalName); err != nil {
			return false, err
		}
		if err := removeAny(r.folder, journalName); err != nil {
			return false, err
		}
		r.fixed("%s does not lead to %s: a new journal starts with the current state", journalName, stateName)
		return true, r.folder.syncDir(".")
	case j.BadCount == 0 && j.Torn == 0:
		return true, nil
	}
	if err := linkToLost(r.folder, journalName); err != nil {
		return false, err
	}
	if err := r.rewrite(c.kept); err != nil {
		return false, err
	}
	if j.Torn > 0 {
		r.fixed("%s: %d bytes after its last line were cut off", journalName, j.Torn)
	}
	if j.BadCount > 0 {
		r.fixed("%s: removed lines that do not continue the journal (%d); the others (%d) lead to %s",
			journalName, j.BadCount,
			c.lines, stateName)
	}
	return true, nil
}

// rewrite replaces the journal by some parts of it, atomically.
func (r *repair[T]) rewrite(kept []span) error {
	source, err := r.folder.open(journalName)
	if err != nil {
		return err
	}
	defer source.Close()
	temp := tempName()
	if err := makeDirs(r.folder, runDir); err != nil {
		return err
	}
	target, err := r.folder.create(temp)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(target, 64<<10)
	for _, s := range kept {
		if _, err = io.Copy(buffered, io.NewSectionReader(source, s.begin, s.end-s.begin)); err != nil {
			break
		}
	}
	if err = errors.Join(err, buffered.Flush()); err == nil {
		err = target.Sync()
	}
	if err = errors.Join(err, target.Close()); err == nil {
		err = r.folder.rename(temp, journalName)
	}
	if err != nil {
		return errors.Join(err, removeAny(r.folder, temp))
	}
	return r.folder.syncDir(".")
}

// rest completes the last writer's work, which makes the copies too. Where the record was
// not what it should be, an event says so, and vouches for what is left of the journal.
func (r *repair[T]) rest(e Examination) error {
	for _, name := range e.Copies {
		if _, err := r.folder.stat(name); err != nil {
			continue
		}
		if err := copyToLost(r.folder, name); err != nil {
			return err
		}
	}
	w := &writer[T]{dir: r.dir, folder: r.folder}
	var err error
	if w.doc, w.state, err = r.dir.read(r.folder); err != nil {
		return err
	}
	if e.damaged() {
		err = r.relink(w, e)
	} else {
		err = w.finish()
	}
	if w.journal.file != nil {
		err = errors.Join(err, w.journal.file.syncData(), w.journal.file.Close())
	}
	if len(r.Unfixed) == 0 {
		err = errors.Join(err, w.unfinished)
	}
	if err != nil {
		return err
	}
	if e.Journal.Behind {
		r.fixed("%s: appended the entry of seq %d, which its writer had left in %s", journalName, e.Seq, stateName)
	}
	for _, name := range e.Copies {
		if w.doc.Docs[name].File == "" {
			r.fixed("%s was moved to lost: the task has no such text", name)
		} else {
			r.fixed("%s was copied again from %s", name, w.doc.Docs[name].File)
		}
	}
	return nil
}

// Quarantine copies a file to lost, as Repair does, and replaces it with data.
func (d *Files) Quarantine(name string, data []byte) error {
	err := d.with(name, func(f folder) error {
		if err := copyToLost(f, name); err != nil {
			return err
		}
		return d.replaceBound(f, name, data)
	})
	if err != nil {
		return fmt.Errorf("replace %s: %w", name, d.named(err))
	}
	return nil
}
