package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/hqtest"
)

// A session cannot replace the .git of a submodule, nor put one where none is: your git would obey its configuration.
func TestGitOfSubmodulesIsProtected(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	hqtest.Must(t, err)
	hqtest.Write(t, dir, "a.txt", "a\n")
	gittest.Commit(t, dir)
	r, err := git.Locate(dir)
	hqtest.Must(t, err)
	if all := gitOfSubmodules(t.Context(), r); len(all) > 0 {
		t.Errorf("without submodules, %q are protected", all)
	}
	list := ""
	for _, path := range []string{"lib/one", "two", "../out", "link", "absent"} {
		list += "[submodule \"" + path + "\"]\n\tpath = " + path + "\n\turl = x\n"
	}
	hqtest.Write(t, dir, ".gitmodules", list)
	hqtest.Write(t, dir, "lib/one/.git", "gitdir: ../../.git/modules/one\n")
	hqtest.Write(t, dir, "lib/one/.gitmodules", "[submodule \"x\"]\n\tpath = in\n\turl = x\n")
	hqtest.Write(t, dir, "lib/one/in/.git", "gitdir: x\n")
	hqtest.Must(t, os.Mkdir(filepath.Join(dir, "two"), 0o755))
	hqtest.Must(t, os.Symlink("lib", filepath.Join(dir, "link")))
	want := []string{filepath.Join(dir, "lib/one/.git"), filepath.Join(dir, "two"),
		filepath.Join(dir, "lib/one/in/.git")}
	if all := gitOfSubmodules(t.Context(), r); !slices.Equal(all, want) {
		t.Errorf("%q are protected, want %q", all, want)
	}
}
