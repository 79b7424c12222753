package store

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// notices are the file system events for one watcher in this process. They all share one system watcher,
// because a user has few: 128 by default on Linux, and HQ watches directories of every task.
type notices struct {
	hub     *hub
	arrived chan struct{} // size 1: there is something to drain
	pending map[string]fsnotify.Op
	missed  bool // an overflow: anything may have changed
}

// hub passes the system watcher's events to all notices. The system watcher exists while there are
// notices.
type hub struct {
	mu      sync.Mutex // guards all below, and the fields of notices
	system  *fsnotify.Watcher
	members map[*notices]map[string]bool // with the directories that each watches
	dirs    map[string]fs.FileInfo       // what the system watches, by its inode
}

// processHub is the hub of this process.
var processHub = &hub{members: map[*notices]map[string]bool{}, dirs: map[string]fs.FileInfo{}}

// join returns notices that watch nothing yet. An error means that the system has no more
// watchers.
func (h *hub) join() (*notices, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.system == nil {
		system, err := fsnotify.NewWatcher()
		if err != nil {
			return nil, err
		}
		h.system = system
		go h.run(system)
	}
	n := &notices{hub: h, arrived: make(chan struct{}, 1), pending: map[string]fsnotify.Op{}}
	h.members[n] = map[string]bool{}
	return n, nil
}

// run hands on what a watcher says, until it is closed.
func (h *hub) run(system *fsnotify.Watcher) {
	for {
		select {
		case e, open := <-system.Events:
			if !open {
				return
			}
			h.hand(e)
		case _, open := <-system.Errors:
			if !open {
				return
			}
			h.overflow()
		}
	}
}

// hand passes an event to the notices that watch its path or the directory that it is
// in.
func (h *hub) hand(e fsnotify.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Has(fsnotify.Remove | fsnotify.Rename) {
		delete(h.dirs, e.Name) // its successor may get its inode
	}
	for n, dirs := range h.members {
		if dirs[filepath.Dir(e.Name)] || dirs[e.Name] {
			n.put(e)
		}
	}
}

func (h *hub) overflow() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := range h.members {
		n.missed = true
		n.signal()
	}
}

// put keeps an event until it is drained. It needs the hub's lock.
func (n *notices) put(e fsnotify.Event) {
	n.pending[e.Name] |= e.Op
	n.signal()
}

func (n *notices) signal() {
	select {
	case n.arrived <- struct{}{}:
	default: // one is waiting, and it says the same
	}
}

// drain returns what has arrived, and whether more was missed.
func (n *notices) drain() (all []fsnotify.Event, missed bool) {
	n.hub.mu.Lock()
	defer n.hub.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(n.pending)) {
		all = append(all, fsnotify.Event{Name: name, Op: n.pending[name]})
	}
	missed = n.missed
	clear(n.pending)
	n.missed = false
	return all, missed
}

// add watches a directory from now on, and again if another one is at its path now.
func (n *notices) add(dir string) error {
	h := n.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if old := h.dirs[dir]; old == nil || !os.SameFile(old, info) {
		h.system.Remove(dir) //nolint:errcheck // it may never have been watched
		if err := h.system.Add(dir); err != nil {
			delete(h.dirs, dir)
			return err
		}
		h.dirs[dir] = info
		for other, dirs := range h.members {
			if other != n && dirs[dir] { // what happened until now may have gone with the old one
				other.put(fsnotify.Event{Name: dir, Op: fsnotify.Create})
			}
		}
	}
	h.members[n][dir] = true
	return nil
}

// close ends the notices, and the system's watcher after the last ones.
func (n *notices) close() {
	h := n.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := h.members[n]
	delete(h.members, n)
	for dir := range gone {
		others := slices.Collect(maps.Values(h.members))
		if !slices.ContainsFunc(others, func(watched map[string]bool) bool { return watched[dir] }) {
			h.system.Remove(dir) //nolint:errcheck // it may be gone
			delete(h.dirs, dir)
		}
	}
	if len(h.members) == 0 {
		go h.system.Close() // Linux takes 7 to 16 ms, and the next watch need not wait for that.
		h.system = nil
		clear(h.dirs)
	}
}
