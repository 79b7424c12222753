package checks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// What git has read is a tree's only if it is in the worktree: a program can have git read another file, by a link
// that is there for a moment in the place of a directory.
func TestAFileThatGitDidNotReadIsAProblem(t *testing.T) {
	w := newWork(t)
	real, err := exec.LookPath("git")
	w.do(err)
	dir := t.TempDir()
	file := filepath.Join(w.dir, "lib", "new.go")
	w.write("lib/new.go", "package lib\n")
	const script = "#!/bin/sh\n%q \"$@\"\ncode=$?\ncase \" $* \" in *' add '*) echo x >>%q ;; esac\nexit $code\n"
	w.do(os.WriteFile(filepath.Join(dir, "git"), fmt.Appendf(nil, script, real, file), 0o755))
	path := os.Getenv("PATH")
	t.Setenv("PATH", dir+":"+path)
	tree, err := w.Tree(t.Context())
	w.do(err)
	if want := []string{"the file lib/new.go changes while it is read"}; !slices.Equal(tree.Problems, want) {
		t.Errorf("the problems are %q, want %q", tree.Problems, want)
	}
	t.Setenv("PATH", path)
	if w.tree() == tree.Hash {
		t.Error("the tree has the file of before")
	}
}
