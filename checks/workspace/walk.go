package workspace

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"golang.org/x/sys/unix"

	"ferrus/checks/git"
)

// gitFile names the git directory of the files.
const gitFile = ".git"

// workers is how many directories are read, and how many files written, at a time.
const workers = 4

// walker compares a directory with what belongs into it.
type walker struct {
	ctx  context.Context
	old  *record         // what is known of the files
	next *record         // what belongs there
	dirs map[string]bool // what belongs there as a directory
	late int64           // ns since 1970: a file that changed then or later counts as unknown
	git  string          // the content of gitFile; empty: it does not belong there
	busy chan struct{}   // a place for each worker
	wait sync.WaitGroup

	mu    sync.Mutex // guards the rest, and met of the entries of next
	extra []string   // files and whole directories that do not belong there
	err   error
}

// walk marks the entries of next that are there as old says they were left, and returns
// what belongs to none of them. It changes nothing but modes of directories.
func (ws *Workspace) walk(ctx context.Context, root dir, old, next *record) (extra []string, err error) {
	w := &walker{
		ctx: ctx, old: old, next: next, dirs: next.dirs(),
		late: old.Stamp, git: ws.GitFile, busy: make(chan struct{}, workers),
	}
	at, err := opened(root.fd(), ".")
	if err != nil {
		return nil, err
	}
	next.gitFile = ws.GitFile != ""
	w.visit(at, "")
	w.wait.Wait()
	return w.extra, errors.Join(w.err, ctx.Err())
}

// visit compares one directory, and those below it, and closes it.
func (w *walker) visit(d dir, path string) {
	defer d.Close()
	names, err := d.names()
	if err != nil || w.ctx.Err() != nil {
		w.fail(err)
		return
	}
	for _, name := range names {
		full := join(path, name)
		s, kind, err := d.stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			w.fail(err)
		case full == gitFile && kind == unix.S_IFREG && holdsText(d, name, s, w.git):
			w.next.gitFile = false
		case kind == unix.S_IFDIR && w.dirs[full]:
			w.enter(d, name, full, s)
		default:
			w.file(full, kind, s)
		}
	}
}

// enter visits a directory that belongs there, on a worker of its own where one is free.
func (w *walker) enter(d dir, name, full string, s stat) {
	sub, err := d.open(name)
	if err == nil && s.perm&0o7777 != 0o755 {
		err = unix.Fchmod(sub.fd(), 0o755)
	}
	if err != nil {
		w.fail(err)
		return
	}
	select {
	case w.busy <- struct{}{}:
		w.wait.Go(func() {
			w.visit(sub, full)
			<-w.busy
		})
	default:
		w.visit(sub, full)
	}
}

// file handles everything except a directory that belongs there.
func (w *walker) file(path string, kind uint32, s stat) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.next.entry(path)
	switch {
	case e == nil:
		w.extra = append(w.extra, path)
	case e.mode == git.ModeSubmodule || kind == unix.S_IFDIR:
		w.extra = append(w.extra, path)
	default:
		was := w.old.entry(path)
		e.touched = was == nil || was.stat != s
		if was != nil && was.id == e.id && was.mode == e.mode && was.kept == e.kept && was.stat == s &&
			s.ctime < w.late {
			e.met, e.stat, e.pointer = true, s, was.pointer
		}
	}
}

func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}
