package checks

import (
	"os"
	"path/filepath"
	"testing"
)

// sparse makes a repository whose checkout leaves out the directory out.
func sparse(t *testing.T, mode ...string) *work {
	t.Helper()
	w := newWork(t)
	for _, name := range []string{"out/a_test.go", "out/b_test.go", "main_test.go", "lib/lib_test.go"} {
		w.write(name, "package x\n")
	}
	w.commit()
	w.git(append(append([]string{"sparse-checkout", "set"}, mode...), "lib")...)
	if isThere(filepath.Join(w.dir, "out")) {
		t.Fatal("the checkout is not sparse")
	}
	return w
}

func TestWhatASparseCheckoutLeavesOutStays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, mode := range map[string][]string{"cone": {"--cone"}, "sparse index": {"--cone", "--sparse-index"},
		"patterns": {"--no-cone", "/*.go", "/.gitignore"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := sparse(t, mode...)
			w.do(w.Pin(t.Context()))
			head := w.git("rev-parse", "HEAD^{tree}")
			if got, err := w.Tree(t.Context()); err != nil || got.Hash != head {
				t.Errorf("the tree differs in %v, %v; want the committed one", w.diff(head, got.Hash), err)
			}
			w.write("lib/lib.go", "package lib // changed\n")
			w.write("out/a_test.go", "package changed\n")
			w.changes(head, "lib/lib.go", "out/a_test.go")
			w.do(os.RemoveAll(filepath.Join(w.dir, "out")))
			w.changes(head, "lib/lib.go")
			w.git("rm", "-q", "--cached", "--sparse", "out/a_test.go")
			w.changes(head, "lib/lib.go", "out/a_test.go")
		})
	}
}

// A session cannot use the sparse checkout to hide files: only files that were left out when the
// task started are skipped.
func TestSkipWorktreeOfASessionHidesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, hide := range map[string]func(*work){
		"the bit": func(w *work) {
			w.git("update-index", "--skip-worktree", "main_test.go", "lib/lib_test.go")
			w.do(os.Remove(filepath.Join(w.dir, "lib/lib_test.go")))
			w.write("main_test.go", "changed\n")
		},
		"other patterns": func(w *work) {
			w.git("sparse-checkout", "set", "--no-cone", "/*.go", "/.gitignore")
			w.write("main_test.go", "changed\n")
			w.git("update-index", "--skip-worktree", "main_test.go")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := sparse(t, "--cone")
			w.do(w.Pin(t.Context()))
			head := w.git("rev-parse", "HEAD^{tree}")
			hide(w)
			want := []string{"lib/lib_test.go", "main_test.go"}
			if name == "other patterns" {
				want = []string{"lib/lib.go", "lib/lib_test.go", "main_test.go"}
			}
			w.changes(head, want...)
		})
	}
	t.Run("a file in the place of a directory", func(t *testing.T) {
		t.Parallel()
		w := sparse(t, "--cone")
		w.do(w.Pin(t.Context()))
		head := w.git("rev-parse", "HEAD^{tree}")
		w.write("out", "new\n")
		w.changes(head, "out", "out/a_test.go", "out/b_test.go")
	})
	t.Run("in a worktree of its own", func(t *testing.T) {
		t.Parallel()
		w := sparse(t, "--cone")
		w.do(w.Pin(t.Context()))
		head := w.git("rev-parse", "HEAD^{tree}")
		top := filepath.Join(w.dir, ".ferrus", "worktrees", "t-1")
		w.git("worktree", "add", "-q", "--detach", top)
		w.gitIn(top, "sparse-checkout", "disable")
		w.Repo = Repo{Workspace: top, Private: w.Private, Home: w.dir, Root: top}
		w.changes(head)
		w.do(os.Remove(filepath.Join(top, "out/a_test.go")))
		w.changes(head, "out/a_test.go")
	})
}

// changes compares the present tree with another one.
func (w *work) changes(from string, want ...string) {
	w.Helper()
	tree, err := w.Tree(w.Context())
	w.do(err)
	got, err := w.Changed(w.Context(), from, tree.Hash)
	w.do(err)
	if len(got) != len(want) {
		w.Fatalf("got %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			w.Errorf("got %q, want %q", got, want)
		}
	}
}
