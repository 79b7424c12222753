package checks

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
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
	w.do(os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+ran+"\ncat\n"), 0o755))
	sub := filepath.Join(w.dir, ".git", "modules", "s")
	for _, key := range []string{"filter.x.clean", "core.fsmonitor"} {
		w.gitIn(filepath.Join(w.dir, "s"), "config", key, evil)
	}
	w.do(os.MkdirAll(filepath.Join(sub, "info"), 0o755))
	w.do(os.WriteFile(filepath.Join(sub, "info", "attributes"), []byte("* filter=x\n"), 0o644))
	return w, ran
}

// Git would look into a submodule with the configuration that a session gave it.
func TestSubmodulesAreNotEntered(t *testing.T) {
	t.Parallel()
	w, ran := newSubmodule(t)
	r, err := git.Locate(w.dir)
	w.do(err)
	for range 3 { // The index of ferrus is new at first.
		w.write("s/main.go", "package main\n")
		tree, err := w.Tree(t.Context())
		if err != nil || len(tree.Problems) > 0 {
			t.Fatalf("%+v, %v", tree, err)
		}
		for _, args := range [][]string{{"status", "--porcelain"}, {"diff", "HEAD"}, {"reset", "--quiet", "--mixed"}} {
			w.do(r.Git().Do(t.Context(), args...))
		}
		if _, err := os.Lstat(ran); err == nil {
			t.Fatal("a program of the submodule ran")
		}
	}
}

// A submodule that is not checked out is as it is in HEAD.
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
