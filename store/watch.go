package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollEvery is how long a change can go unnoticed where the file system sends no
// notices, as many network file systems do not. Where it does, a poll is for what a notice
// cannot say, such as that a directory above was renamed, and comes once in rarePolls times.
const (
	pollEvery = 2 * time.Second
	rarePolls = 30
)

// Watch sends once at the start, and then whenever a .json file in .ferrus or anything in
// the directories of also may have changed, or the journal other than by a line more. A notice
// does not say what happened, only that it is time to load; several changes can give one notice. The channel is closed
// once ctx is done. A .ferrus that is deleted and made again is watched again. Where the
// file system sends no notices, changes are found by polling, within 2 seconds. The names in
// also are relative to .ferrus; directories below them are not watched.
func (d *Dir[T]) Watch(ctx context.Context, also ...string) (<-chan struct{}, error) {
	return d.watch(ctx, pollEvery, also)
}

// watch is Watch with another period of polling, for tests.
func (d *Dir[T]) watch(ctx context.Context, every time.Duration, also []string) (<-chan struct{}, error) {
	dirs := []string{d.root}
	for _, dir := range also {
		if err := checkName(dir); err != nil {
			return nil, fmt.Errorf("watch %s: %w", dir, err)
		}
		dirs = append(dirs, d.Path(dir))
	}
	f, err := d.open() // refuses what should not be followed
	if err != nil {
		return nil, fmt.Errorf("watch state: %w", err)
	}
	f.Close()
	notices, err := processHub.join() // an error: the system has no more watchers; polling is enough
	w := &watcher{
		notices: notices, pollOnly: err != nil, root: d.root, dirs: dirs, watched: map[string]fs.FileInfo{},
		changed: make(chan struct{}, 1), // one waiting notice is enough
		stat:    d.statState,
	}
	go w.run(ctx, every)
	return w.changed, nil
}

// statState returns what a poll compares. A renewal does not change seq, and a new file
// can get the inode of an older one, so it takes both.
func (d *Dir[T]) statState() (info fs.FileInfo, seq uint64) {
	f, err := d.open()
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	if info, err = f.stat(d.names.state); err != nil {
		return nil, 0
	}
	if data, err := readWhole(f, d.names.state); err == nil {
		if doc, err := parse(data); err == nil {
			seq = doc.Seq
		}
	}
	return info, seq
}

// watcher turns the notices of a file system into ours. One goroutine owns it: run.
type watcher struct {
	notices  *notices
	pollOnly bool // there are no notices
	root     string
	dirs     []string
	watched  map[string]fs.FileInfo // what was at the path when it was added
	changed  chan struct{}
	stat     func() (fs.FileInfo, uint64)
	info     fs.FileInfo // of the last poll
	seq      uint64
	journal  int64 // how long the journal was
}

// run owns the watcher until ctx is done.
func (w *watcher) run(ctx context.Context, every time.Duration) {
	defer close(w.changed)
	var arrived chan struct{}
	if !w.pollOnly {
		defer w.notices.close()
		arrived = w.notices.arrived
	}
	w.poll()
	w.grows()
	w.notify()
	next := time.NewTimer(w.pause(every))
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-arrived:
			if w.heard() {
				w.notify()
			}
			if w.watched[w.root] == nil { // nothing says when it is back
				next.Reset(every)
			}
		case <-next.C:
			if w.poll() {
				w.notify()
			}
			next.Reset(w.pause(every))
		}
	}
}

// heard takes what has arrived, and reports whether there is something to load.
func (w *watcher) heard() (news bool) {
	all, missed := w.notices.drain()
	for _, e := range all {
		news = w.follow(e) || w.matters(e) || news
	}
	return news || missed
}

// follow watches a directory that has come, and forgets one that is gone. It reports whether
// there is something to load.
func (w *watcher) follow(e fsnotify.Event) bool {
	if !slices.Contains(w.dirs, e.Name) || !e.Has(fsnotify.Create|fsnotify.Remove|fsnotify.Rename) {
		return false
	}
	if e.Has(fsnotify.Remove | fsnotify.Rename) {
		delete(w.watched, e.Name) // its successor may get its inode
	}
	return w.poll()
}

// pause returns how long it is to the next poll.
func (w *watcher) pause(every time.Duration) time.Duration {
	if w.pollOnly || w.watched[w.root] == nil || !sendsNotices(w.root) {
		return every
	}
	return rarePolls * every
}

// notify never blocks: a notice that waits says the same.
func (w *watcher) notify() {
	select {
	case w.changed <- struct{}{}:
	default: // one is waiting, and it says the same
	}
}

// matters reports whether an event can be a change: not a line more in the journal, the copies of
// texts, locks and temporary files.
func (w *watcher) matters(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	if e.Name == filepath.Join(w.root, journalName) {
		return !w.grows()
	}
	if filepath.Dir(e.Name) == w.root {
		return filepath.Ext(e.Name) == ".json"
	}
	return !strings.HasPrefix(filepath.Base(e.Name), tempPrefix)
}

// grows reports whether the journal is longer than before, as each commit makes it: what makes it shorter, or
// changes it where it is, may damage it.
func (w *watcher) grows() bool {
	var now int64
	if info, err := os.Lstat(filepath.Join(w.root, journalName)); err == nil {
		now = info.Size()
	}
	before := w.journal
	w.journal = now
	return now > before
}

// poll adds directories that are new at their path, and reports whether there is
// something to load.
func (w *watcher) poll() bool {
	news := false
	for _, dir := range w.dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			delete(w.watched, dir)
			continue
		}
		if old := w.watched[dir]; old != nil && os.SameFile(old, info) {
			continue
		}
		if w.pollOnly {
			continue
		}
		if w.notices.add(dir) == nil {
			w.watched[dir] = info
			news = true
		}
	}
	info, seq := w.stat()
	same := seq == w.seq && (info == nil) == (w.info == nil)
	if same && info != nil {
		same = os.SameFile(info, w.info) && info.Size() == w.info.Size() && info.ModTime().Equal(w.info.ModTime())
	}
	w.info, w.seq = info, seq
	return news || !same
}
