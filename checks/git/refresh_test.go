package git

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// refreshable is a worktree with the file a, in a repository whose index git has just brought up to date.
func refreshable(t *testing.T) (g Git, w Worktree, file string) {
	t.Helper()
	dir := t.TempDir()
	if !tellsChanges(dir) {
		t.Skip("the file system may not tell of changes")
	}
	g = In(dir)
	file = filepath.Join(dir, "a")
	clock, err := os.Create(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clock.Close() })
	w = Worktree{Top: dir, Cache: filepath.Join(dir, ".git", "untracked"), Clock: clock}
	g.Index, g.Format = filepath.Join(dir, ".git", "index"), "sha1"
	g.Stores = []string{filepath.Join(dir, ".git", "objects")}
	if err := os.WriteFile(file, []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}} {
		if err := g.Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	return g, w, file
}

// remembered waits for a later time by the clock of the file system, and makes the untracked cache.
func remembered(t *testing.T, g Git, w Worktree) {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Lstat(w.Top, &st); err != nil {
		t.Fatal(err)
	}
	before := st.Ctim.Nano()
	for before <= st.Ctim.Nano() {
		var err error
		if before, err = w.Now(); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Remember(t.Context(), w, before, nil); err != nil {
		t.Fatal(err)
	}
}

// TestChangedDirectoriesAreNotRemembered checks that nothing is remembered of a worktree that may have changed
// after git listed it.
func TestChangedDirectoriesAreNotRemembered(t *testing.T) {
	t.Parallel()
	g, w, _ := refreshable(t)
	var st unix.Stat_t
	if err := unix.Lstat(w.Top, &st); err != nil {
		t.Fatal(err)
	}
	if err := g.Remember(t.Context(), w, st.Ctim.Nano(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(w.Cache); err == nil {
		t.Error("Remember wrote an untracked cache of a directory that changed when git began")
	}
	remembered(t, g, w)
	if _, ok := g.Refresh(t.Context(), w); !ok {
		t.Error("Refresh asks for git though nothing has changed")
	}
	cache, err := os.ReadFile(w.Cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, cache[:len(cache)-1], append([]byte("x"), cache[1:]...)} {
		if err := os.WriteFile(w.Cache, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := g.Refresh(t.Context(), w); ok {
			t.Errorf("Refresh believes the damaged cache %q", damaged)
		}
	}
}

// TestYoungFilesAreRead checks that the content of a file is compared when an index by git is as young as the file: the
// file may have changed since without another time.
func TestYoungFilesAreRead(t *testing.T) {
	t.Parallel()
	g, w, file := refreshable(t)
	remembered(t, g, w)
	blob := Hash(EmptyTree("sha1"), "blob", []byte("1"))
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	// What git would have noted had it read the file before the last change, within one step of the clock.
	if err := os.WriteFile(file, []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	note := func(device uint32) {
		t.Helper()
		x, err := readIndex(g.Index, g.Format)
		if err != nil {
			t.Fatal(err)
		}
		var st unix.Stat_t
		if err := unix.Lstat(file, &st); err != nil {
			t.Fatal(err)
		}
		noted := x.data[x.at[0]:]
		copy(noted, statBytes(st))
		binary.BigEndian.PutUint32(noted[statDevice:], device)
		copy(noted[indexStat:], raw)
		if err := x.write(g.Index, g.Format, nil); err != nil {
			t.Fatal(err)
		}
	}
	entry := func() string {
		t.Helper()
		if _, ok := g.Refresh(t.Context(), w); !ok {
			t.Fatal("Refresh asks for git")
		}
		x, err := readIndex(g.Index, g.Format)
		if err != nil {
			t.Fatal(err)
		}
		return x.entries[0].ID
	}
	written := func(after time.Duration) {
		t.Helper()
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		at := info.ModTime().Truncate(time.Second).Add(after)
		if err := os.Chtimes(g.Index, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name   string
		device uint32
		after  time.Duration
		read   bool
	}{
		{"an index by git of the same second", 7, 0, true},
		{"an index by git of a later second", 7, 2 * time.Second, false},
		{"an entry that is exact", exact, 0, false},
	} {
		note(test.device)
		written(test.after)
		got := entry()
		if read := got != blob; read != test.read {
			t.Errorf("%s: the entry is %s, so the file was read: %t, want %t", test.name, got, read, test.read)
		}
	}
}

// TestYoungFilesStayUnknown checks that a file that may change again without another time is read again by the next
// Refresh.
func TestYoungFilesStayUnknown(t *testing.T) {
	t.Parallel()
	g, w, file := refreshable(t)
	if err := os.WriteFile(file, []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Lstat(file, &st); err != nil {
		t.Fatal(err)
	}
	for before, known := range map[int64]bool{st.Ctim.Nano(): false, st.Ctim.Nano() + 1: true} {
		x, err := readIndex(g.Index, g.Format)
		if err != nil {
			t.Fatal(err)
		}
		r := refresh{Git: g, worktree: w, index: x, stores: stores{dirs: g.Stores}, before: before, racy: st.Ctim.Sec}
		if err := r.entry(0); err != nil {
			t.Fatal(err)
		}
		if same := sameStat(x.data[x.at[0]:], statBytes(st)); same != known || !r.stale {
			t.Errorf("the file changed %d ns before the clock: its times are noted: %t, want %t",
				before-st.Ctim.Nano(), same, known)
		}
	}
}
