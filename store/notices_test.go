package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWatchersShareNotices checks that watchers share the system's notices: a user has few of them,
// and HQ watches every task.
func TestWatchersShareNotices(t *testing.T) {
	t.Parallel()
	const stores = 60
	for range stores {
		d, _ := newStore(t)
		<-watching(t, d, time.Hour, "run", "later")
	}
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not list what a process has opened")
	}
	n := 0
	for _, d := range descriptors {
		if to, _ := os.Readlink(filepath.Join("/proc/self/fd", d.Name())); strings.Contains(to, "inotify") {
			n++
		}
	}
	if n > 2 { // one that is closed may still be there
		t.Errorf("%d stores are watched with %d watchers of the system", stores, n)
	}
}

// TestWatchersOfOneDirectory checks that all watchers of a directory hear about it and about its
// successor, also after others have left.
func TestWatchersOfOneDirectory(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	dir := d.Path("more")
	var all [8]<-chan struct{}
	for i := range all {
		all[i] = watching(t, d, time.Hour, "more")
		<-all[i]
	}
	for range 20 {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, changed := range all {
			<-changed // it is watched
		}
		if err := os.WriteFile(filepath.Join(dir, "s.json"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, changed := range all {
			<-changed
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
