package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
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
		case name == "." && info.Mode().Perm() != 0o700, name != "." && d.IsDir() && info.Mode().Perm() != 0o755:
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
