package checks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/store/longtest"
)

func TestTreeFollowsTheContent(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	first := w.tree()
	if again := w.tree(); again != first {
		t.Errorf("nothing moved: %s, %s", first, again)
	}
	if head := w.git("rev-parse", "HEAD^{tree}"); head != first {
		t.Errorf("a clean worktree is the tree of HEAD: %s, %s", head, first)
	}
	seen := map[string]string{first: "first"}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"edit", func() { w.write("main.go", "package changed\n") }},
		{"same size, same time", func() {
			info, err := os.Stat(filepath.Join(w.dir, "main.go"))
			w.do(err)
			w.write("main.go", "package changex\n")
			w.do(os.Chtimes(filepath.Join(w.dir, "main.go"), info.ModTime(), info.ModTime()))
		}},
		{"new file", func() { w.write("new/deep/file.go", "x") }},
		{"mode", func() { w.do(os.Chmod(filepath.Join(w.dir, "main.go"), 0o755)) }},
		{"link", func() { w.do(os.Symlink("main.go", filepath.Join(w.dir, "link"))) }},
		{"link elsewhere", func() {
			w.do(os.Remove(filepath.Join(w.dir, "link")))
			w.do(os.Symlink("lib", filepath.Join(w.dir, "link")))
		}},
		{"delete", func() { w.do(os.Remove(filepath.Join(w.dir, "lib/lib.go"))) }},
		{"folder becomes link", func() {
			w.do(os.RemoveAll(filepath.Join(w.dir, "new")))
			w.do(os.Symlink("/tmp", filepath.Join(w.dir, "new")))
		}},
		{"file becomes folder", func() {
			w.do(os.Remove(filepath.Join(w.dir, "main.go")))
			w.write("main.go/x", "x")
		}},
		{"line ends", func() { w.write("main.go/x", "x\r\n") }},
		{"other line ends", func() { w.write("main.go/x", "x\n") }},
		{"odd names", func() {
			for _, name := range []string{"a b", "-n", ":x", "*?[x]", "new\nline", "\xff", "#c", "!d", "ü", `q"u`} {
				w.write(name, "x")
			}
		}},
	} {
		step.do()
		hash := w.tree()
		if before, ok := seen[hash]; ok {
			t.Errorf("%s: the tree is the same as at %q", step.name, before)
		}
		seen[hash] = step.name
	}
	w.git("clean", "-qfd")
	w.git("checkout", "-q", ".")
	if got := w.tree(); got != first {
		t.Errorf("everything is back, the tree is the same as at %q", seen[got])
	}
}

func TestTreeTouchesNothingOfTheUser(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	w.write("staged.go", "x")
	w.git("add", "staged.go")
	w.write("staged.go", "y")
	w.write("untracked.go", "z")
	status := w.git("status", "--porcelain")
	before := contents(t, w.dir) // after git status, which may refresh the index; we must not
	w.tree()
	after := contents(t, w.dir)
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s changed", name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, now %d", len(before), len(after))
	}
	if now := w.git("status", "--porcelain"); now != status {
		t.Errorf("status was\n%s\nis\n%s", status, now)
	}
}

func TestTreeWithoutACommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".ferrus"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := &work{T: t, dir: dir, Repo: Repo{Workspace: dir, Private: filepath.Join(dir, ".ferrus/run/git")}}
	w.git("init", "-q")
	if got := w.tree(); got != git.EmptyTree("sha1") {
		t.Errorf("the tree of an empty directory is %s, want git's empty tree", got)
	}
	w.write("a", "a")
	if got := w.tree(); got == git.EmptyTree("sha1") || w.Head(t.Context()) != "" {
		t.Errorf("one file: %s, head %q", got, w.Head(t.Context()))
	}
}

func TestTreeOfOtherRepositories(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	t.Run("sha256", func(t *testing.T) {
		t.Parallel()
		w := newWork(t, "--object-format=sha256")
		if got, want := w.tree(), w.git("rev-parse", "HEAD^{tree}"); got != want ||
			w.Head(t.Context()) != w.git("rev-parse", "HEAD") {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("linked worktree", func(t *testing.T) {
		t.Parallel()
		w := newWork(t)
		other := filepath.Join(t.TempDir(), "other")
		w.git("worktree", "add", "-q", other)
		if err := os.Mkdir(filepath.Join(other, ".ferrus"), 0o700); err != nil {
			t.Fatal(err)
		}
		linked := &work{T: t, dir: other, Repo: Repo{Workspace: other,
			Private: filepath.Join(other, ".ferrus/run/git")}}
		first := linked.tree()
		if first != w.tree() {
			t.Error("the same files, other trees")
		}
		linked.write("main.go", "only here")
		if linked.tree() == first || w.tree() != first {
			t.Error("worktrees are mixed up")
		}
	})
	t.Run("folder of a repository", func(t *testing.T) {
		t.Parallel()
		w := newWork(t)
		w.write("sub [x]/go.mod", "module x\n")
		w.write("sub [x]/.ferrus/STATE.json", "{}")
		w.write(".gitignore", "*.log\n!.ferrus\n!.ferrus/\n")
		w.do(os.RemoveAll(filepath.Join(w.dir, ".ferrus")))
		w.Repo = Repo{Workspace: filepath.Join(w.dir, "sub [x]"),
			Private: filepath.Join(w.dir, "sub [x]/.ferrus/run/git")}
		first := w.tree()
		w.write("sub [x]/.ferrus/STATE.json", "{1}")
		if w.tree() != first {
			t.Error("the tree has .ferrus in it")
		}
		w.write("main.go", "changed above the workspace")
		if w.tree() == first {
			t.Error("the rest of the worktree is left out")
		}
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		_, err := Repo{Workspace: dir, Private: filepath.Join(dir, "p")}.Tree(t.Context())
		if !errors.Is(err, ErrNoRepository) {
			t.Errorf("got %v, want ErrNoRepository", err)
		}
	})
}

func TestTreesAtTheSameTime(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWork(t)
	want := w.tree()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got, err := w.Tree(t.Context()); err != nil || got.Hash != want {
				t.Errorf("the tree is %v, %v; want %s", got, err, want)
			}
		})
	}
	wait.Wait()
}

func TestChangedNamesPaths(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	a := w.tree()
	w.write("main.go", "x")
	w.write("new\nname", "x")
	w.do(os.Remove(filepath.Join(w.dir, "lib/lib.go")))
	b := w.tree()
	got, err := w.Changed(t.Context(), a, b)
	if want := []string{"lib/lib.go", "main.go", "new\nname"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the changed files are %q, %v; want %q", got, err, want)
	}
	for i := range 150 {
		w.write(fmt.Sprintf("many/%03d", i), "x")
	}
	got, err = w.Changed(t.Context(), b, w.tree())
	if err != nil || len(got) != changedCount+1 || got[changedCount] != "and 50 more" {
		t.Errorf("got %d changed files, %v; want a limited list", len(got), err)
	}
	if got, err := w.Changed(t.Context(), a, "--output=x"); got != nil || err != nil {
		t.Errorf("no hash: %v, %v", got, err)
	}
}

func TestCallersEnvironmentDoesNotMislead(t *testing.T) {
	w := newWork(t)
	want := w.tree()
	other := newWork(t)
	other.write("main.go", "other")
	t.Setenv("GIT_DIR", other.dir+"/.git")
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_INDEX_FILE", other.dir+"/.git/index")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.worktree")
	t.Setenv("GIT_CONFIG_VALUE_0", other.dir)
	if got := w.tree(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnchangedTreeIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it makes many files")
	}
	w, count := newWork(t), 500
	if longtest.On() {
		count = 100_000
	}
	for i := range count {
		w.write(fmt.Sprintf("d%03d/f%d.txt", i%500, i), fmt.Sprint(i))
	}
	w.commit()
	start := time.Now()
	first, err := w.Tree(t.Context())
	w.do(err)
	cold := time.Since(start)
	start = time.Now()
	second, err := w.Tree(t.Context())
	w.do(err)
	warm := time.Since(start)
	start = time.Now()
	w.git("status", "--porcelain")
	t.Logf("%d files: first %v, unchanged %v, git status %v", count, cold, warm, time.Since(start))
	if first.Hash != second.Hash || first.Hash != w.git("rev-parse", "HEAD^{tree}") {
		t.Error("other trees")
	}
}

// A merge combines the changes of both sides, whatever attributes either side sets.
func TestMergeOfTrees(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWork(t)
	tree := func(lines string) string {
		w.Helper()
		w.write("main.go", lines)
		found, err := w.Tree(t.Context())
		w.do(err)
		return found.Hash
	}
	w.write(".gitattributes", "* merge=union\n")
	base := tree("1\n2\n3\n4\n5\n")
	ours, theirs := tree("one\n2\n3\n4\n5\n"), tree("1\n2\n3\n4\nfive\n")
	m, err := w.Merge(t.Context(), base, ours, theirs)
	w.do(err)
	if both := tree("one\n2\n3\n4\nfive\n"); m.Tree != both || len(m.Conflicts) > 0 {
		t.Errorf("got %+v, want tree %s", m, both)
	}
	m, err = w.Merge(t.Context(), base, ours, tree("another\n2\n3\n4\n5\n"))
	w.do(err)
	if len(m.Conflicts) != 1 || m.Conflicts[0] != "main.go" || !strings.Contains(m.Hunks, "+<<<<<<< branch\n") ||
		!strings.Contains(m.Hunks, "+>>>>>>> work\n") {
		t.Errorf("the merge is %+v, want a conflict in main.go with markers", m)
	}
}
