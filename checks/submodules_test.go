package checks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
)

func TestSubmoduleAsACheckoutMakesIt(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	w.submodule()
	w.gitIn(w.dir+"/sub", "config", "core.autocrlf", "true")
	w.write("sub/main.go", "package main\r\n")
	w.write("sub/large.bin", git.PointerPrefix+
		"oid sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\nsize 1\n")
	w.write("sub/kept.log", "ignored, and in the commit")
	w.gitIn(w.dir+"/sub", "add", "-f", "kept.log", "large.bin")
	w.gitIn(w.dir+"/sub", "commit", "-q", "-m", "m")
	w.write("sub/large.bin", "x")
	w.write("sub/ignored.log", "x")
	if got := w.problems(); got != "" {
		t.Errorf("got %q", got)
	}
	w.write("sub/large.bin", "y")
	if got := w.problems(); !strings.Contains(got, "large.bin") {
		t.Errorf("got %q", got)
	}
}

func TestPinnedExcludesHoldInSubmodules(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	w.write(".git/info/exclude", "*.swp\n")
	w.do(w.Pin(t.Context()))
	w.submodule()
	w.write("sub/a.swp", "x")
	if got := w.problems(); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestReplacedGitOfAWorktreeIsRefused(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	top := filepath.Join(w.dir, ".ferrus", "worktrees", "t-1")
	w.git("worktree", "add", "-q", "--detach", top)
	r := Repo{Workspace: filepath.Join(top, "lib"), Private: w.Private, Home: w.dir, Root: top}
	if tree, err := r.Tree(t.Context()); err != nil || tree.Hash == "" ||
		r.Head(t.Context()) != w.git("rev-parse", "HEAD") {
		t.Fatalf("%+v, %v", tree, err)
	}
	w.do(os.Remove(top + "/.git"))
	if _, err := r.Tree(t.Context()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("without a .git: %v", err)
	}
	w.gitIn(top, "init", "-q")
	w.poison(".ferrus/worktrees/t-1/.git")
	replaced := (*git.Replaced)(nil)
	if _, err := r.Tree(t.Context()); !errors.As(err, &replaced) {
		t.Errorf("got %v", err)
	}
	if r.Head(t.Context()) != "" || r.Describe(t.Context()) != "" {
		t.Error("git ran on it")
	}
}

func TestSubmoduleCommitIsPartOfTheTree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	w.submodule()
	first := w.tree()
	w.write("sub/main.go", "changed")
	w.gitIn(w.dir+"/sub", "commit", "-q", "-a", "-m", "m")
	if w.tree() == first {
		t.Error("a new commit in the submodule is not seen")
	}
}
