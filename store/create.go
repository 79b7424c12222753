package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"ferrus/agent/process"
)

// prepare completes the last writer's work and removes what a crash left. While another
// process has the lock it does nothing, because that one has done so. An error of the
// completion is not returned: the next update meets it again and says so, and reading
// needs none of it.
func (d *Dir[T]) prepare() error {
	f, err := d.open()
	if err != nil {
		return fmt.Errorf("open state: %w", err)
	}
	if _, _, err := d.read(f); err != nil {
		f.Close()
		return fmt.Errorf("open state: %w", d.named(err))
	}
	unlock, err := f.tryLock(d.names.lock)
	if err != nil {
		f.Close()
		return nil //nolint:nilerr // see above
	}
	w, err := d.startWriterLocked(f, unlock)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	defer w.close()
	w.sweepDocs(w.doc.Docs)
	removeAny(f, d.names.temp) //nolint:errcheck // what is left is swept the next time
	sweepTemps(f)              //nolint:errcheck // the same
	return nil
}

// make is Create once the path is known.
func (d *Dir[T]) make(ctx context.Context, first T) error {
	err := d.prepare()
	if err == nil || !errors.Is(err, ErrNone) {
		return err
	}
	f, err := d.disk.create()
	if err != nil {
		return fmt.Errorf("create state: %w", err)
	}
	defer f.Close()
	unlock, err := f.lock(ctx, d.names.lock)
	if err != nil {
		return fmt.Errorf("create state: %w", err)
	}
	defer unlock.Close()
	if err := d.makeLocked(f, first); err != nil {
		return fmt.Errorf("create state: %w", d.named(err))
	}
	return nil
}

// makeLocked makes the first state, unless another process was faster. Everything that
// the state relies on is durable before it, so a crash leaves no state or a whole one.
func (d *Dir[T]) makeLocked(f folder, first T) error {
	if _, _, err := d.read(f); !errors.Is(err, ErrNone) {
		return errors.Join(err, f.syncDir("."))
	}
	w := &writer[T]{dir: d, folder: f}
	n, err := newNext(w.doc, first)
	if err != nil {
		return err
	}
	for _, dir := range firstDirs {
		if err := makeDirs(f, dir); err != nil {
			return err
		}
	}
	for _, name := range []string{docsDir, journalName} {
		if err := d.clearStale(f, name); err != nil {
			return err
		}
	}
	if err := w.makeJournal(); err != nil {
		return err
	}
	if err := w.journal.file.Close(); err != nil {
		return err
	}
	if err := d.beginSums(f); err != nil {
		return err
	}
	n.Head.Bound = true
	if err := f.syncDir("."); err != nil {
		return err
	}
	if err := w.replaceState(n); err != nil {
		return err
	}
	return f.syncDir(".")
}

// clearStale moves away what belongs to a former state, one whose STATE.json you moved
// away: the first entry of a new journal must be seq 1.
func (d *Dir[T]) clearStale(f folder, name string) error {
	if name == docsDir {
		texts, err := f.list(docsDir)
		if err != nil || len(texts) == 0 {
			return err
		}
		if err := moveToLost(f, docsDir); err != nil {
			return err
		}
		return makeDirs(f, docsDir)
	}
	info, err := f.stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	return moveToLost(f, name)
}

// sweepTemps removes the temporary files of writers that died before the rename.
func sweepTemps(f folder) error {
	names, err := listAny(f, runDir)
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) && abandoned(f, name) {
			err = errors.Join(err, removeAny(f, path.Join(runDir, name)))
		}
	}
	return err
}

// abandoned reports whether the process that a temporary file names is gone. A pid can
// be used again, so a file that is older than any write takes counts as well.
func abandoned(f folder, name string) bool {
	info, err := f.stat(path.Join(runDir, name))
	if err != nil {
		return false
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(name, tempPrefix), "-")
	pid, err := strconv.Atoi(owner)
	return err != nil || !process.Exists(pid) || time.Since(info.ModTime()) > time.Hour
}
