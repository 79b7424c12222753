package checks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/store/exectest"
)

// newSubmodule makes a repository with a submodule s, and a program that its configuration
// names for each way in which git could run one there. Ran is a file that the program makes.
func newSubmodule(t *testing.T) (w *work, ran string) {
	t.Helper()
	other := newWork(t)
	w = newWork(t)
	w.git("submodule", "--quiet", "add", other.dir, "s")
	w.commit()
	ran = filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	w.do(exectest.WriteFile(evil, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o755))
	sub := filepath.Join(w.dir, ".git", "modules", "s")
	for _, key := range []string{"filter.x.clean", "core.fsmonitor"} {
		w.gitIn(filepath.Join(w.dir, "s"), "config", key, evil)
	}
	w.do(os.MkdirAll(filepath.Join(sub, "info"), 0o755))
	w.do(os.WriteFile(filepath.Join(sub, "info", "attributes"), []byte("* filter=x\n"), 0o644))
	return w, ran
}

// git would enter a submodule with the configuration that a session gave it.
func TestSubmodulesAreNotEntered(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w, ran := newSubmodule(t)
	r, err := git.Locate(w.dir)
	w.do(err)
	for range 3 { // The index of ferrus is new at first.
		w.write("s/main.go", "package main\n")
		tree, err := w.Tree(t.Context())
		if err != nil || len(tree.Problems) > 0 {
			t.Fatalf("the tree is %+v, %v; want no problems", tree, err)
		}
		for _, args := range [][]string{{"status", "--porcelain"}, {"diff", "HEAD"}, {"reset", "--quiet", "--mixed"}} {
			w.do(r.Git().Do(t.Context(), args...))
		}
		if _, err := os.Lstat(ran); err == nil {
			t.Fatal("a program of the submodule ran")
		}
	}
}

// A submodule that is not checked out counts as it is in HEAD.
func TestSubmoduleThatIsNotCheckedOut(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w, _ := newSubmodule(t)
	w.git("submodule", "--quiet", "deinit", "--force", "s")
	want := w.git("rev-parse", "HEAD^{tree}")
	for range 2 {
		if tree, err := w.Tree(t.Context()); err != nil || tree.Hash != want || len(tree.Problems) > 0 {
			t.Errorf("%+v, %v; HEAD has %s", tree, err, want)
		}
	}
	w.do(os.Remove(filepath.Join(w.dir, "s")))
	if tree, err := w.Tree(t.Context()); err != nil || tree.Hash == want {
		t.Errorf("a removed one is still there: %+v, %v", tree, err)
	}
}

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
		t.Errorf("the problems are %q, want none", got)
	}
	w.write("sub/large.bin", "y")
	if got := w.problems(); !strings.Contains(got, "large.bin") {
		t.Errorf("the problems are %q, want large.bin", got)
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
		t.Errorf("the problems are %q, want none", got)
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
		t.Fatalf("the tree is %+v, %v; want a hash at HEAD", tree, err)
	}
	w.do(os.Remove(top + "/.git"))
	if _, err := r.Tree(t.Context()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("without a .git: %v", err)
	}
	w.gitIn(top, "init", "-q")
	w.poison(".ferrus/worktrees/t-1/.git")
	replaced := (*git.Replaced)(nil)
	if _, err := r.Tree(t.Context()); !errors.As(err, &replaced) {
		t.Errorf("got %v, want a Replaced error", err)
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
