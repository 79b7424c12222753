package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
)

// fixture is a repository that trees are written to, and a workspace.
type fixture struct {
	testing.TB
	repo  git.Git
	ws    *Workspace
	blobs map[string]string // id by content
}

func newFixture(t testing.TB, format string) *fixture {
	t.Helper()
	base := t.TempDir()
	repo := git.In(filepath.Join(base, "repo"))
	f := &fixture{t, repo, In(filepath.Join(base, "files"), filepath.Join(base, "state")), map[string]string{}}
	f.must(os.Mkdir(repo.Dir, 0o700))
	f.must(repo.Do(f.ctx(), "init", "-q", "--object-format="+format))
	return f
}

func (f *fixture) ctx() context.Context { return context.Background() }

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// tree writes a tree. A name that ends in * is executable, one in @ a link, one in % a
// submodule.
func (f *fixture) tree(files map[string]string) string {
	f.Helper()
	var index strings.Builder
	for name, content := range files {
		mode, id := "100644", ""
		switch name[len(name)-1] {
		case '*':
			mode = "100755"
		case '@':
			mode = "120000"
		case '%':
			mode, id = "160000", "1111111111111111111111111111111111111111"
		}
		if id == "" {
			id = f.blobs[content]
		}
		if id == "" {
			out, _, err := f.repo.Run(f.ctx(), strings.NewReader(content), "hash-object", "-w", "--stdin")
			f.must(err)
			id = strings.TrimSpace(out)
			f.blobs[content] = id
		}
		fmt.Fprintf(&index, "%s %s\t%s\n", mode, id, strings.TrimRight(name, "*@%"))
	}
	g := f.repo.With("GIT_INDEX_FILE=" + filepath.Join(f.TempDir(), "index"))
	_, _, err := g.Run(f.ctx(), strings.NewReader(index.String()), "update-index", "--add", "--index-info")
	f.must(err)
	id, err := g.Output(f.ctx(), "write-tree")
	f.must(err)
	return id
}

// update brings the workspace to a tree, and compares it with the files of the tree.
func (f *fixture) update(files map[string]string, key string, kept ...string) Report {
	f.Helper()
	r, err := f.ws.Update(f.ctx(), f.repo, f.tree(files), key)
	f.must(err)
	f.compare(files, kept...)
	return r
}

// compare reads the whole directory as [fixture.tree] spells it.
func (f *fixture) compare(want map[string]string, kept ...string) {
	f.Helper()
	got := map[string]string{}
	f.must(filepath.WalkDir(f.ws.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(f.ws.dir, path)
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case d.IsDir() && want[name+"%"] != "":
			got[name+"%"] = want[name+"%"]
		case d.IsDir() && info.Mode().Perm() != 0o755 && name != ".":
			f.Errorf("%s has the mode %v", name, info.Mode())
		case d.IsDir():
		case d.Type() == fs.ModeSymlink:
			got[name+"@"], err = os.Readlink(path)
		case info.Mode() == 0o755:
			got[name+"*"] = f.read(name)
		case info.Mode() == 0o644:
			got[name] = f.read(name)
		default:
			f.Errorf("%s has the mode %v", name, info.Mode())
		}
		return err
	}))
	for _, name := range kept {
		delete(got, name)
	}
	if !maps.Equal(got, want) {
		f.Errorf("the directory has\n%q\nwant\n%q", got, want)
	}
}

func (f *fixture) path(name string) string { return filepath.Join(f.ws.dir, name) }

func (f *fixture) read(name string) string {
	f.Helper()
	text, err := os.ReadFile(f.path(name))
	f.must(err)
	return string(text)
}

func (f *fixture) write(name, content string) {
	f.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.must(os.WriteFile(f.path(name), []byte(content), 0o644))
}

// sample is a tree with one of each.
var sample = map[string]string{
	"a.txt": "one\n", "run.sh*": "#!/bin/sh\n", "to-a@": "a.txt", "dir/b.txt": "two\n", "dir/deep/c.txt": "three\n",
	"vendored%": "-",
}

func with(base map[string]string, more ...string) map[string]string {
	files := maps.Clone(base)
	for i := 0; i < len(more); i += 2 {
		files[more[i]] = more[i+1]
	}
	return files
}

func TestUpdateWritesWhatDiffers(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		f := newFixture(t, format)
		files := sample
		if format == "sha256" {
			files = maps.Clone(sample)
			delete(files, "vendored%")
		}
		f.ws.tick = 0
		blobs := len(files) - len(f.update(files, "").Submodules)
		if r := f.update(files, ""); r.Written != 0 || r.Removed > 1 || r.Anew {
			t.Errorf("nothing changed: %+v", r)
		}
		changed := with(files, "a.txt", "new\n")
		delete(changed, "dir/deep/c.txt")
		if r := f.update(changed, ""); r.Written != 1 || r.Files != blobs-1+len(r.Submodules) {
			t.Errorf("one file changed and one went: %+v", r)
		}
		f.update(map[string]string{}, "")
		f.update(map[string]string{"dir": "a file in the place of a directory\n"}, "")
		f.update(files, "")
	}
}

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
	"linked":  {func(f *fixture) { f.must(os.Link(f.path("a.txt"), f.path("dir/other"))) }, nil},
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

// A writer that mapped a file before can change it without a trace in its stat. The file
// that the next gate reads is another one.
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
		t.Errorf("%q, %v", changed, err)
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

func TestNamesThatGitWouldNotCheckOutAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sha1")
	blob, _, err := f.repo.Run(t.Context(), strings.NewReader("x"), "hash-object", "-w", "--stdin")
	f.must(err)
	raw := make([]byte, 0, 20)
	for i := 0; i < 40; i += 2 {
		var b byte
		_, err := fmt.Sscanf(blob[i:i+2], "%02x", &b)
		f.must(err)
		raw = append(raw, b)
	}
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + string(raw) }
	for _, content := range []string{
		entry("100644", ".git"), entry("100644", ".GIT"), entry("100644", "git~1"), entry("100644", ".."),
		entry("100644", "."),
		entry("100644", "a/../../x"), entry("100644", "/etc/x"), entry("100644", "a") + entry("100644", "a"),
		entry("100644", "a") + entry("100644", "a/b"),
	} {
		tree, _, err := f.repo.Run(t.Context(), strings.NewReader(content), "hash-object", "-t", "tree", "-w",
			"--stdin", "--literally")
		f.must(err)
		if _, err := f.ws.Update(t.Context(), f.repo, strings.TrimSpace(tree), ""); err == nil {
			t.Errorf("%q was checked out", content)
		}
	}
	outside, _ := os.ReadDir(filepath.Dir(f.ws.dir))
	if len(outside) > 3 {
		t.Errorf("there are %v beside the directory", outside)
	}
}

func TestConfigurationOfTheUserChangesNoByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sha1")
	for key, value := range map[string]string{"core.autocrlf": "true", "core.eol": "crlf",
		"filter.x.smudge": "sed s/one/two/"} {
		f.must(f.repo.Do(t.Context(), "config", key, value))
	}
	f.must(os.WriteFile(filepath.Join(f.repo.Dir, ".git", "info", "attributes"),
		[]byte("* text eol=crlf filter=x ident\n"), 0o600))
	pointer := git.PointerPrefix + "oid sha256:00\nsize 1\n"
	r := f.update(with(sample, ".gitattributes", "* text eol=crlf filter=x ident\n", "id.txt", "$Id$\n",
		"large.bin", pointer), "")
	if !slices.Equal(r.Pointers, []string{"large.bin"}) || !slices.Equal(r.Submodules, []string{"vendored"}) {
		t.Errorf("%+v", r)
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
			t.Fatalf("byte %d: %v", i, err)
		}
		root.Close()
	}
	f.write("a.txt", "x")
	if r := f.update(sample, ""); !r.Anew {
		t.Errorf("%+v", r)
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

func TestKeptOutputComesBackAsItWas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, "sha1")
	if r := f.update(sample, "lock-1"); !r.NeedsSetup {
		t.Fatalf("%+v", r)
	}
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	setup := func() {
		f.write("node_modules/pkg/index.js", "good")
		f.write("node_modules/.bin/tool", "#!/bin/sh")
		f.must(os.Chmod(f.path("node_modules/.bin/tool"), 0o755))
		f.must(os.Symlink("../pkg/index.js", f.path("node_modules/.bin/pkg")))
		f.must(os.MkdirAll(f.path("node_modules/empty"), 0o755))
		f.write("dir/ignored.out", "made")
		f.must(os.Chtimes(f.path("node_modules/pkg/index.js"), old, old))
	}
	setup()
	f.must(f.ws.SaveOutput(t.Context()))
	kept := []string{"node_modules/pkg/index.js", "node_modules/.bin/tool*", "node_modules/.bin/pkg@",
		"dir/ignored.out"}
	check := func(r Report) {
		t.Helper()
		info, err := os.Stat(f.path("node_modules/pkg/index.js"))
		if err != nil || f.read("node_modules/pkg/index.js") != "good" || !info.ModTime().Equal(old) ||
			r.Kept != 4 || r.NeedsSetup {
			t.Errorf("%+v, %v, %v", r, info, err)
		}
		if _, err := os.Stat(f.path("node_modules/empty")); err != nil {
			t.Error(err)
		}
	}
	check(f.update(sample, "lock-1", kept...))
	f.write("node_modules/pkg/index.js", "evil")
	f.must(os.Chtimes(f.path("node_modules/pkg/index.js"), old, old))
	f.write("node_modules/pkg/more.js", "evil")
	f.must(os.RemoveAll(f.path("node_modules/.bin")))
	f.must(os.RemoveAll(f.path("node_modules/empty")))
	check(f.update(with(sample, "a.txt", "other\n"), "lock-1", kept...))

	r := f.update(with(sample, "dir/ignored.out", "tracked now"), "lock-1", kept[:3]...)
	if r.Kept != 3 {
		t.Errorf("a path that the tree has now: %+v", r)
	}
	if r := f.update(with(sample, "node_modules", "a file now"), "lock-1"); r.Kept != 0 {
		t.Errorf("a directory that is a file now: %+v", r)
	}
	if r := f.update(sample, "lock-2"); !r.NeedsSetup || r.Kept != 0 {
		t.Errorf("another key: %+v", r)
	}
	setup()
	f.must(f.ws.SaveOutput(t.Context()))
	f.must(os.WriteFile(filepath.Join(f.ws.pristine(), "node_modules/pkg/index.js"), []byte("evil"), 0o600))
	f.must(os.RemoveAll(f.path("node_modules")))
	if _, err := f.ws.Update(t.Context(), f.repo, f.tree(sample), "lock-2"); !errors.Is(err, ErrCopy) {
		t.Errorf("a copy that was changed: %v", err)
	}
	if r := f.update(sample, "lock-2"); !r.NeedsSetup || !r.Anew {
		t.Errorf("after a copy that was changed: %+v", r)
	}
}

// TestAnyTreeAfterAnyChange plays random trees and random changes of the directory.
func TestAnyTreeAfterAnyChange(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays random trees")
	}
	t.Parallel()
	f := newFixture(t, "sha1")
	name := rapid.StringMatching(`[abc](/[abc]){0,2}`)
	f.update(sample, "")
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for n, content := range rapid.MapOfN(name, rapid.SampledFrom([]string{"", "x", "yy\n"}), 0, 6).Draw(t, "tree") {
			files[n] = content
		}
		for n := range files {
			for i := range n {
				if n[i] == '/' {
					delete(files, n[:i])
				}
			}
		}
		tree := f.tree(files)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := f.path(name.Draw(t, "at"))
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				_ = os.WriteFile(at, []byte("evil"), 0o644)
			case 1:
				_ = os.RemoveAll(at)
			case 2:
				_ = os.MkdirAll(at, 0o700)
			case 3:
				_ = os.Symlink("..", at)
			case 4:
				_ = os.Chmod(at, 0o100)
			}
		}
		if _, err := f.ws.Update(f.ctx(), f.repo, tree, ""); err != nil {
			t.Fatal(err)
		}
		quiet := &fixture{TB: silent{f.TB, t}, repo: f.repo, ws: f.ws}
		quiet.compare(files)
	})
}

// silent reports to the play, not to the test around it.
type silent struct {
	testing.TB
	t *rapid.T
}

func (s silent) Errorf(format string, args ...any) { s.t.Errorf(format, args...) }
func (s silent) Fatal(args ...any)                 { s.t.Fatal(args...) }

func TestColumnsKeepEveryField(t *testing.T) {
	t.Parallel()
	e := entry{mode: git.ModeFile, id: "1", kept: true, stat: stat{2, 3, 4, 5, 6}, pointer: true}
	if got := (entries{"a": &e}).columns().entries(true); !reflect.DeepEqual(*got["a"], e) {
		t.Errorf("%+v", *got["a"])
	}
}

// Python takes a source of the same size and second for the one that it compiled before.
func TestCompiledFilesOfTheTreeAreNotKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sha1")
	update := func() {
		_, err := f.ws.Update(f.ctx(), f.repo, f.tree(with(sample, "dir/lib.py", "answer = 42\n")), "k")
		f.must(err)
	}
	update()
	for name, kept := range map[string]bool{"dir/__pycache__/lib.cpython-311.pyc": false, "dir/lib.pyc": false,
		"dir/__pycache__/lib.cpython-311-pytest-8.pyc": false, "dir/__pycache__/other.cpython-311.pyc": true,
		"venv/__pycache__/lib.cpython-311.pyc": true} {
		f.write(name, "compiled")
		f.must(f.ws.SaveOutput(t.Context()))
		f.must(os.RemoveAll(f.path(name)))
		update()
		if _, err := os.Stat(f.path(name)); (err == nil) != kept {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a program leaves can be removed: more directories in each other than a process may have open, some that
// cannot be looked into, and names that the removal takes itself.
func TestRemoveAllOfAnything(t *testing.T) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 200
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) //nolint:errcheck // it was so before
	top := filepath.Join(t.TempDir(), "top")
	if err := os.MkdirAll(filepath.Join(top, ".lifted-0", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "two"} {
		at, err := os.OpenRoot(top)
		for i := 0; i < 1000 && err == nil; i++ {
			var below *os.Root
			if err = at.Mkdir(name, 0o755); err == nil {
				below, err = at.OpenRoot(name)
			}
			if err == nil && i%100 == 99 {
				err = at.Chmod(".", 0) // nothing more is made there
			}
			at.Close()
			at = below
		}
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
	}
	if err := RemoveAll(top); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(top); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}
