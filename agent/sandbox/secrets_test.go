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
func TestALookIsKept(t *testing.T) {
	top, now := t.TempDir(), time.Now()
	file := filepath.Join(t.TempDir(), "ferrus", "programs.json")
	write := func(name string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(top, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, nil, mode)
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
	// looked says whether the tree was looked through again.
	look := func(when time.Time, looked bool, want ...string) {
		t.Helper()
		l := keptLooks(file)
		got := l.secretsOf(top, when)
		if !slices.Equal(got, want) || l.changed != looked {
			t.Errorf("found %q, want %q; looked again: %v", got, want, l.changed)
		}
		l.write()
	}
	key, public := write("app/etc/key", 0o600), write("app/lib/a", 0o644)
	look(now, true, key)
	look(now, false, key)
	chmod(public, 0o600)
	look(now.Add(lookKept-time.Second), false, key)
	look(now.Add(lookKept), true, key, public)
	look(now, true, key, public) // the clock went back
	look(now, false, key, public)
	second := write("app/lib/b", 0o600)
	look(now, true, key, public, second)
	chmod(public, 0o644)
	look(now, true, key, second)
	private := filepath.Dir(write("app/private/c", 0o644))
	chmod(private, 0o700)
	look(now, true, key, second, private)
	look(now, false, key, second, private)
	chmod(private, 0o755)
	look(now, true, key, second)
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	look(now, true, key)
	chmod(file, 0o666)
	look(now, true, key)
	if err := os.WriteFile(file, []byte(`{"trees": {"`), 0o600); err != nil {
		t.Fatal(err)
	}
	look(now, true, key)
	look(now, false, key)
}
