package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
)

// traps are what commands may do to the directory, each with the files of the tree whose
// content it changed.
var traps = map[string]struct {
	set     func(f *fixture)
	changed []string
}{
	"nothing": {func(*fixture) {}, nil},
	"same size and time": {func(f *fixture) {
		info, err := os.Stat(f.path("a.txt"))
		f.must(err)
		f.write("a.txt", "eno\n")
		f.must(os.Chtimes(f.path("a.txt"), info.ModTime(), info.ModTime()))
	}, []string{"a.txt"}},
	"touched": {func(f *fixture) { f.must(os.Chtimes(f.path("a.txt"), time.Time{}, time.Now())) }, nil},
	"removed": {func(f *fixture) { f.must(os.Remove(f.path("dir/b.txt"))) }, []string{"dir/b.txt"}},
	"added": {func(f *fixture) {
		f.write("dir/new.txt", "x")
		f.write("more/deep/new.txt", "x")
	}, nil},
	"mode":    {func(f *fixture) { f.must(os.Chmod(f.path("a.txt"), 0o4777)) }, []string{"a.txt"}},
	"no mode": {func(f *fixture) { f.must(os.Chmod(f.path("dir"), 0)) }, nil},
	"no mode of the first": {func(f *fixture) {
		f.write("new.txt", "x")
		f.must(os.Chmod(f.ws.dir, 0))
	}, nil},
	"read-only first": {func(f *fixture) {
		f.write("new.txt", "x")
		f.must(os.Chmod(f.ws.dir, 0o500))
	}, nil},
	"unreadable": {func(f *fixture) { f.must(os.Chmod(f.path("a.txt"), 0o200)) }, []string{"a.txt"}},
	"linked":     {func(f *fixture) { f.must(os.Link(f.path("a.txt"), f.path("dir/other"))) }, nil},
	"nested": {func(f *fixture) {
		f.write("dir/.git/config", "[core]\n")
		f.write(".git", "gitdir: /nowhere\n")
	}, nil},
	"filled":   {func(f *fixture) { f.write("vendored/x", "x") }, nil},
	"pipe":     {func(f *fixture) { f.must(syscall.Mkfifo(f.path("dir/pipe"), 0o600)) }, nil},
	"replaced": {func(f *fixture) { f.replace("a.txt", "one\n") }, nil},
	"link for a file": {func(f *fixture) {
		f.must(os.Rename(f.path("a.txt"), f.path("moved")))
		f.must(os.Symlink("moved", f.path("a.txt")))
	}, []string{"a.txt"}},
	"link for a directory": {func(f *fixture) {
		f.must(os.Rename(f.path("dir"), f.path("moved")))
		f.must(os.Symlink("moved", f.path("dir")))
	}, []string{"dir/b.txt", "dir/deep/c.txt"}},
	"link to the outside": {func(f *fixture) {
		outside := f.TempDir()
		f.must(os.Mkdir(filepath.Join(outside, "deep"), 0o755))
		f.must(os.WriteFile(filepath.Join(outside, "b.txt"), []byte("mine"), 0o644))
		f.must(os.RemoveAll(f.path("dir")))
		f.must(os.Symlink(outside, f.path("dir")))
		f.Cleanup(func() {
			if text, err := os.ReadFile(filepath.Join(outside, "b.txt")); err != nil || string(text) != "mine" {
				f.Errorf("a file outside was changed: %q, %v", text, err)
			}
		})
	}, []string{"dir/b.txt", "dir/deep/c.txt"}},
	"directory for a file": {func(f *fixture) {
		f.must(os.Remove(f.path("a.txt")))
		f.write("a.txt/x", "x")
	}, []string{"a.txt"}},
	"file for a directory": {func(f *fixture) {
		f.must(os.RemoveAll(f.path("dir")))
		f.write("dir", "x")
	}, []string{"dir/b.txt", "dir/deep/c.txt"}},
	"link elsewhere": {func(f *fixture) {
		f.must(os.Remove(f.path("to-a")))
		f.must(os.Symlink("/etc/passwd", f.path("to-a")))
	}, []string{"to-a"}},
	"unreadable directories in the way": {func(f *fixture) {
		f.write("more/deep/new.txt", "x")
		f.must(os.Chmod(f.path("more/deep"), 0))
		f.must(os.Chmod(f.path("more"), 0o500))
	}, nil},
	"executable": {func(f *fixture) { f.must(os.Chmod(f.path("run.sh"), 0o644)) }, []string{"run.sh"}},
}

// replace renames a new file over an old one.
func (f *fixture) replace(name, content string) {
	f.Helper()
	f.write("replacement", content)
	f.must(os.Rename(f.path("replacement"), f.path(name)))
}

func TestTrapsArePutRight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, trap := range traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "sha1")
			f.update(sample, "")
			trap.set(f)
			if changed, _, err := f.ws.Changed(t.Context()); err != nil || !slices.Equal(changed, trap.changed) {
				t.Errorf("changed: %q, %v; want %q", changed, err, trap.changed)
			}
			f.update(sample, "")
			trap.set(f)
			f.update(with(sample, "dir/new.txt", "of the next tree\n"), "")
		})
	}
}

// A file that is changed right after it was written may have the same change time, and the same
// size.
func TestChangeInTheSameTickIsPutRight(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	f := newFixture(t, "sha1")
	files := map[string]string{"a.txt": "right\n"}
	for range 40 {
		f.update(files, "")
		f.write("a.txt", "wrong\n")
		if changed, _, err := f.ws.Changed(t.Context()); err != nil || !slices.Equal(changed, []string{"a.txt"}) {
			t.Fatalf("changed are %q, %v; want a.txt", changed, err)
		}
	}
	f.update(files, "")
}

// Whatever its record says, a file counts as known only if it changed before the tick in which the
// record was made.
func TestFilesOfTheRecordsTickAreWrittenAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sha1")
	files := map[string]string{"a.txt": "right\n"}
	for later, written := range map[int64]int{0: 1, 1: 0} { // ns after the change of the file
		f.ws.stamp = func(_ *os.File, root dir) (int64, error) {
			s, _, err := root.stat("a.txt")
			if errors.Is(err, fs.ErrNotExist) { // It is the record of no file.
				return 0, nil
			}
			return s.ctime + later, err
		}
		f.update(map[string]string{}, "")
		f.update(files, "")
		if r := f.update(files, ""); r.Written != written {
			t.Errorf("a record made %d ns after the file: %d written, want %d", later, r.Written, written)
		}
	}
}

// A writer that mapped a file earlier can change it without a trace in its stat. The next gate
// reads a different file.
func TestMappingDoesNotReachTheNextGate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sha1")
	f.update(sample, "")
	file, err := os.OpenFile(f.path("a.txt"), os.O_RDWR, 0)
	f.must(err)
	defer file.Close()
	memory, err := syscall.Mmap(int(file.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	f.must(err)
	defer func() { _ = syscall.Munmap(memory) }()
	copy(memory, "eno\n") // The first write through a mapping changes the change time.
	copy(memory, "one\n")
	f.update(sample, "")
	copy(memory, "bad\n")
	f.compare(sample)
	if changed, _, err := f.ws.Changed(t.Context()); err != nil || len(changed) != 0 {
		t.Errorf("changed are %q, %v; want none", changed, err)
	}
}

func TestForgedObjectIsRefused(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"a file": ":d/a", "a directory": ":d", "the tree": ""} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "sha1")
			good, evil := f.tree(map[string]string{"d/a": "good\n"}), f.tree(map[string]string{"d/a": "evil\n"})
			id := func(tree string) string {
				id, err := f.repo.Output(t.Context(), "rev-parse", tree+path)
				f.must(err)
				return id
			}
			gittest.Forge(t, filepath.Join(f.repo.Dir, ".git"), id(good), id(evil))
			if _, err := f.ws.Update(t.Context(), f.repo, good, ""); !errors.Is(err, git.ErrDamaged) {
				t.Error(err)
			}
			f.update(map[string]string{"d/a": "evil\n"}, "")
		})
	}
}

func TestAnyDamageOfTheRecordWritesAnew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, "sha1")
	f.update(sample, "")
	text, err := os.ReadFile(f.ws.recordFile())
	f.must(err)
	for i := range text {
		damaged := slices.Clone(text)
		damaged[i] ^= 1 << (i % 8)
		f.must(os.WriteFile(f.ws.recordFile(), damaged, 0o600))
		root, err := f.ws.open()
		f.must(err)
		if _, err := f.ws.load(root); !errors.Is(err, ErrNoRecord) {
			t.Fatalf("with byte %d changed: %v, want ErrNoRecord", i, err)
		}
		root.Close()
	}
	f.write("a.txt", "x")
	if r := f.update(sample, ""); !r.Anew {
		t.Errorf("the result is %+v, want a new workspace", r)
	}
	f.must(os.RemoveAll(f.ws.dir))
	if r := f.update(sample, ""); !r.Anew {
		t.Errorf("another directory: %+v", r)
	}
	if _, _, err := In(t.TempDir(), t.TempDir()).Changed(t.Context()); !errors.Is(err, ErrNoRecord) {
		t.Error(err)
	}
}

func TestStoppedUpdateIsMadeGood(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, "sha1")
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f%d", i%7, i)] = strings.Repeat("x", i)
	}
	f.update(files, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.ws.Update(ctx, f.repo, f.tree(sample), ""); err == nil {
		t.Error("a cancelled update succeeded")
	}
	f.update(sample, "")
}
