package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What was found in a tree of programs counts for the next process until a directory or a secret there has changed,
// or an hour has passed, and only where no one else could have written it.
func TestASearchIsKept(t *testing.T) {
	top, now := t.TempDir(), time.Now().Add(time.Minute) // nothing has changed lately
	written := now.Add(-time.Hour)
	file := filepath.Join(t.TempDir(), "ferrus", "programs.json")
	write := func(name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(top, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, nil, mode)
		}
		if err == nil { // the clock of the file system may not have ticked since the last one
			written = written.Add(time.Second)
			err = os.Chtimes(filepath.Dir(path), written, written)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	chmod := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	// again says whether the tree was searched again.
	search := func(when time.Time, again bool, want ...string) {
		t.Helper()
		l := readSearches(file)
		got := l.secretsOf(top, when)
		if !slices.Equal(got, want) || l.changed != again {
			t.Errorf("found %q, want %q; searched again: %v", got, want, l.changed)
		}
		l.write()
	}
	fresh := readSearches(file)
	fresh.secretsOf(top, time.Now())
	if fresh.write(); len(readSearches(file).Trees) > 0 {
		t.Error("a search is kept that may have missed a change")
	}
	key, public := write("app/etc/key", 0o600), write("app/lib/a", 0o644)
	search(now, true, key)
	search(now, false, key)
	chmod(public, 0o600)
	search(now.Add(searchValid-time.Second), false, key)
	search(now.Add(searchValid), true, key, public)
	search(now, true, key, public) // the clock went back
	search(now, false, key, public)
	second := write("app/lib/b", 0o600)
	search(now, true, key, public, second)
	chmod(public, 0o644)
	search(now, true, key, second)
	private := filepath.Dir(write("app/private/c", 0o644))
	chmod(private, 0o700)
	search(now, true, key, second, private)
	search(now, false, key, second, private)
	chmod(private, 0o755)
	search(now, true, key, second)
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	search(now, true, key)
	chmod(file, 0o666)
	search(now, true, key)
	if err := os.WriteFile(file, []byte(`{"trees": {"`), 0o600); err != nil {
		t.Fatal(err)
	}
	search(now, true, key)
	search(now, false, key)
}
