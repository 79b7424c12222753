package workspace

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/checks/git"
	"golang.org/x/sys/unix"
)

func TestUpdateWritesWhatDiffers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	for _, format := range []string{"sha1", "sha256"} {
		f := newFixture(t, format)
		files := sample
		if format == "sha256" {
			files = maps.Clone(sample)
			delete(files, "vendored%")
		}
		f.ws.stamp = func(*os.File, dir) (int64, error) { return math.MaxInt64, nil } // every file is known
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
		entry("100644", "."), entry("100644", ".g\u200Cit"), entry("100644", ".Git ."),
		entry("100644", ".git::$INDEX_ALLOCATION"),
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
		t.Errorf("the result is %+v, want large.bin as pointer and vendored as submodule", r)
	}
}

func TestKeptOutputComesBackAsItWas(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	f := newFixture(t, "sha1")
	if r := f.update(sample, "lock-1"); !r.NeedsSetup {
		t.Fatalf("the result is %+v, want that it needs setup", r)
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
			t.Errorf("the result is %+v, %v, %v; want everything kept and no setup", r, info, err)
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

func TestColumnsKeepEveryField(t *testing.T) {
	t.Parallel()
	e := entry{mode: git.ModeFile, id: "1", kept: true, stat: stat{2, 3, 4, 5, 6}, pointer: true}
	if got := (entries{"a": &e}).columns().entries(true); !reflect.DeepEqual(*got["a"], e) {
		t.Errorf("after encoding: %+v, want %+v", *got["a"], e)
	}
}

// Python mistakes a source of the same size and second for the one that it compiled before.
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
			t.Errorf("%s: %v, want it kept: %v", name, err, kept)
		}
	}
}

// Whatever a program leaves can be removed: more nested directories than a process may have open,
// some that cannot be read, and names that the removal itself uses.
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
