package checks

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNothingIsHiddenFromTheTree hides a change in every way that git knows.
func TestNothingIsHiddenFromTheTree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, hide := range map[string]func(*work){
		"assume-unchanged": func(w *work) { w.git("update-index", "--assume-unchanged", "main.go") },
		"skip-worktree":    func(w *work) { w.git("update-index", "--skip-worktree", "main.go") },
		"info/exclude": func(w *work) {
			w.write(".git/info/exclude", "*.go\n")
			w.git("rm", "-q", "--cached", "main.go")
		},
		"core.excludesFile": func(w *work) {
			w.write("../x", "*.go\n")
			w.git("config", "core.excludesFile", w.dir+"/../x")
		},
		"core.worktree": func(w *work) { w.git("config", "core.worktree", w.TempDir()) },
		"core.bare":     func(w *work) { w.git("config", "core.bare", "true") },
		"a filter": func(w *work) {
			w.git("config", "filter.x.clean", "echo same; touch filter-ran")
			w.write(".git/info/attributes", "*.go filter=x\n")
		},
		"fsmonitor": func(w *work) {
			w.git("config", "core.fsmonitor", "touch filter-ran; true")
		},
		"line ends": func(w *work) {
			w.git("config", "core.autocrlf", "true")
			w.write(".git/info/attributes", "* text\n")
		},
		"a sparse checkout": func(w *work) {
			w.git("config", "core.sparseCheckout", "true")
			w.write(".git/info/sparse-checkout", "lib/\n")
		},
		"a split index":  func(w *work) { w.git("update-index", "--split-index") },
		"file mode":      func(w *work) { w.git("config", "core.filemode", "false") },
		"a broken index": func(w *work) { w.git("rm", "-q", "--cached", "-r", ".") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t)
			w.write(".gitattributes", "*.go text eol=lf\n")
			w.write("main.go", "package main\n")
			w.commit()
			first := w.tree()
			hide(w)
			w.write("main.go", "package main\r\n")
			if w.tree() == first {
				t.Error("the change is not seen")
			}
			w.write("main.go", "package main\n")
			if got := w.tree(); got != first {
				t.Error("the restored content is not noticed: ", w.diff(first, got))
			}
			w.do(os.Chmod(filepath.Join(w.dir, "main.go"), 0o755))
			if w.tree() == first {
				t.Error("the mode is not seen")
			}
			if _, err := os.Stat(filepath.Join(w.dir, "filter-ran")); err == nil {
				t.Error("a program of the repository was run")
			}
		})
	}
}

func TestIgnoredFilesBelongWhenGitHasThem(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	w.write("tracked.log", "a")
	w.git("add", "-f", "tracked.log")
	w.commit()
	first := w.tree()
	w.write("other.log", "ignored")
	if w.tree() != first {
		t.Error("an ignored file is in the tree")
	}
	w.write("tracked.log", "b")
	second := w.tree()
	if second == first {
		t.Error("a tracked file is not in the tree because it is ignored")
	}
	w.git("add", "-f", "other.log")
	third := w.tree()
	if third == second {
		t.Error("a staged file is not in the tree because it is ignored")
	}
	w.git("rm", "-q", "--cached", "other.log", "tracked.log")
	if got := w.tree(); got != second {
		t.Error("what HEAD has is in the tree whatever the index says: ", w.diff(got, second))
	}
	w.write("built/x", "x")
	if w.tree() == second {
		t.Error("a new file is not in the tree")
	}
	w.write(".gitignore", "*.log\n.ferrus/\nbuilt/\n")
	ignoring := w.tree()
	w.write("built/x", "y")
	if got := w.tree(); got != ignoring {
		t.Error("a file stays in the tree after it was ignored: ", w.diff(got, ignoring))
	}
}

func TestPinnedExcludes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWork(t)
	w.write(".git/info/exclude", "*.swp")
	w.write("a.swp", "1")
	first := w.tree()
	w.do(w.Pin(t.Context()))
	pinned := w.tree()
	if pinned == first {
		t.Error("pinned excludes are not honoured")
	}
	w.write("a.swp", "2")
	if w.tree() != pinned {
		t.Error("an excluded file moved the tree")
	}
	w.write(".git/info/exclude", "*.go\n")
	w.write("extra.go", "x")
	if w.tree() == pinned {
		t.Error("excludes that changed after the pin are honoured")
	}
}
