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

// prepare finishes the last writer's work and sweeps what a crash left, if
// nobody else is writing: then that is done already. What cannot be done now is
// met, and said, by the next update; reading needs none of it.
func (d *Dir[T]) prepare() error {
	f, err := d.open()
	if err != nil {
		return fmt.Errorf("open state: %w", err)
	}
	if _, _, err := d.read(f); err != nil {
		f.Close()
		return fmt.Errorf("open state: %w", d.named(err))
	}
	unlock, err := f.tryLock(d.files.lock)
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
	removeAny(f, d.files.temp) //nolint:errcheck // what is left is swept the next time
	sweepTemps(f)              //nolint:errcheck // the same
	return nil
}

// make is Create after the path is known.
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
	unlock, err := f.lock(ctx, d.files.lock)
	if err != nil {
		return fmt.Errorf("create state: %w", err)
	}
	defer unlock.Close()
	if err := d.makeLocked(f, first); err != nil {
		return fmt.Errorf("create state: %w", d.named(err))
	}
	return nil
}

// makeLocked makes the first state, unless another has been quicker. Everything
// that the state relies on is durable before it.
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
	if err := w.openJournal(); err != nil {
		return err
	}
	if err := w.journal.file.Close(); err != nil {
		return err
	}
	if err := f.syncDir("."); err != nil {
		return err
	}
	if err := w.replaceState(n); err != nil {
		return err
	}
	return f.syncDir(".")
}

// clearStale moves away what a state left that is gone: it was moved away itself.
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

// sweepTemps removes the temporary files of writers that died.
func sweepTemps(f folder) error {
	names, err := listAny(f, runDir)
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) && abandoned(f, name) {
			err = errors.Join(err, removeAny(f, path.Join(runDir, name)))
		}
	}
	return err
}

// abandoned says that the process which a temporary file names is gone, or that
// the file is older than any write takes: a pid is used again.
func abandoned(f folder, name string) bool {
	info, err := f.stat(path.Join(runDir, name))
	if err != nil {
		return false
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(name, tempPrefix), "-")
	pid, err := strconv.Atoi(owner)
	return err != nil || !process.Exists(pid) || time.Since(info.ModTime()) > time.Hour
}
