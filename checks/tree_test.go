package checks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/store/longtest"
)

// work is a git repository with a workspace in it.
type work struct {
	*testing.T
	dir string
	Repo
}

// newWork makes a repository with one commit: a file, a folder, an ignore rule.
func newWork(t *testing.T, init ...string) *work {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &work{T: t, dir: dir, Repo: Repo{Workspace: dir, Private: filepath.Join(dir, ".ferrus", "run", "git")}}
	if len(init) > 0 {
		w.git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	}
	w.write("main.go", "package main\n")
	w.write("lib/lib.go", "package lib\n")
	w.write(".gitignore", "*.log\n.ferrus/\n")
	gittest.Commit(t, dir)
	w.write(".ferrus/STATE.json", "{}")
	return w
}

func (w *work) git(args ...string) string { w.Helper(); return w.gitIn(w.dir, args...) }

func (w *work) gitIn(dir string, args ...string) string {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c",
		"protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(git.Environment(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *work) commit() {
	w.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "m")
}

func (w *work) write(name, content string) {
	w.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *work) do(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// tree returns the present one, without problems, and the same for an index made anew.
func (w *work) tree() string {
	w.Helper()
	tree, err := w.Tree(w.Context())
	w.do(err)
	if len(tree.Problems) > 0 {
		w.Fatalf("problems: %q", tree.Problems)
	}
	fresh := Repo{Workspace: w.Workspace, Private: filepath.Join(w.TempDir(), "git")}
	if data, err := os.ReadFile(filepath.Join(w.Private, "info", "exclude")); err == nil {
		w.do(os.MkdirAll(filepath.Join(fresh.Private, "info"), 0o700))
		w.do(os.WriteFile(filepath.Join(fresh.Private, "info", "exclude"), data, 0o600))
	}
	other, err := fresh.Tree(w.Context())
	w.do(err)
	if other.Hash != tree.Hash {
		w.Fatalf("an index made anew names another tree: %s\n%s", tree.Hash, w.diff(tree.Hash, other.Hash))
	}
	return tree.Hash
}

func (w *work) diff(a, b string) string {
	names, err := w.Changed(w.Context(), a, b)
	return fmt.Sprint(names, err)
}

// problems are those of the present tree.
func (w *work) problems() string {
	w.Helper()
	tree, err := w.Tree(w.Context())
	w.do(err)
	return strings.Join(tree.Problems, "\n")
}

// contents returns all files below a directory with what is in them.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.Contains(path, "/.ferrus/") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = fmt.Sprintf("%v %x", info.Mode(), sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

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
		t.Errorf("empty: %s", got)
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
			t.Errorf("got %v", err)
		}
	})
}

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
				t.Error("the way back is not seen: ", w.diff(first, got))
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

func TestProblemsAreNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, c := range map[string]struct {
		make func(*work)
		want string
	}{
		"nested repository": {func(w *work) {
			w.nest("inner", true)
		}, "the nested repository inner is not part of the tree"},
		"nested repository without a commit": {func(w *work) {
			w.nest("inner", false)
		}, "the nested repository 'inner/' is not part of the tree"},
		"dirty submodule": {func(w *work) {
			w.submodule()
			w.write("sub/lib/lib.go", "dirty")
		}, "the submodule sub has changes"},
		"new file in a submodule": {func(w *work) {
			w.submodule()
			w.write("sub/new.go", "dirty")
		}, "the submodule sub has changes"},
		"submodule that hides": {func(w *work) {
			w.submodule()
			w.gitIn(w.dir+"/sub", "update-index", "--assume-unchanged", "main.go")
			w.write("sub/main.go", "hidden")
		}, "the submodule sub has changes that are not committed in it: main.go"},
		"submodule with another's .git": {func(w *work) {
			w.submodule()
			w.do(os.Remove(w.dir + "/sub/.git"))
			w.gitIn(w.dir+"/sub", "init", "-q")
			w.poison("sub/.git")
			w.gitIn(w.dir+"/sub", "-c", "core.fsmonitor=false", "commit", "-q", "--allow-empty", "-m", "m")
			w.write("sub/main.go", "hidden")
		}, "the submodule sub has changes that are not committed in it"},
		"folder .ferrus in a submodule": {func(w *work) {
			w.submodule()
			w.write("sub/.ferrus/tool.sh", "exit 1")
			w.gitIn(w.dir+"/sub", "add", "-f", ".ferrus/tool.sh")
			w.gitIn(w.dir+"/sub", "commit", "-q", "-m", "m")
			w.write("sub/.ferrus/tool.sh", "exit 0")
		}, "changes that are not committed in it: .ferrus/tool.sh"},
		"executable file in a submodule": {func(w *work) {
			w.submodule()
			w.do(os.Chmod(w.dir+"/sub/main.go", 0o755))
		}, "changes that are not committed in it: main.go"},
		"forged tree in a submodule": {func(w *work) {
			w.submodule()
			w.forge("lib", "evil\n", "evil\n")
		}, "the submodule sub cannot be read: "},
		"forged tree in a submodule, with other line ends": {func(w *work) {
			w.submodule()
			w.forge("lib", "evil\n", "evil\r\n")
		}, "the submodule sub cannot be read: "},
		"forged commit of a submodule": {func(w *work) {
			w.submodule()
			w.forge("", "evil\n", "evil\n")
		}, "the submodule sub cannot be read: "},
		"submodule whose .git names another": {func(w *work) {
			w.submodule()
			empty := w.TempDir()
			w.gitIn(empty, "init", "-q")
			w.write("sub/.git", "gitdir: "+empty+"/.git\n")
		}, "the nested repository 'sub/' is not part of the tree"},
		"no file": {func(w *work) {
			w.do(os.Remove(filepath.Join(w.dir, "main.go")))
			w.do(syscall.Mkfifo(filepath.Join(w.dir, "main.go"), 0o600))
		}, "main.go: can only add regular files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t)
			w.tree()
			c.make(w)
			if got := w.problems(); !strings.Contains(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// forge has a directory of the submodule list another file lib.go, or its commit name
// another tree, under the old name of the object; the worktree has that file, too.
func (w *work) forge(dir, committed, there string) {
	w.Helper()
	sub := w.dir + "/sub"
	name := w.gitIn(sub, "rev-parse", "HEAD:"+dir)
	if dir == "" {
		name = w.gitIn(sub, "rev-parse", "HEAD")
	}
	tree := func() string { return w.gitIn(sub, "write-tree") }
	w.write("sub/lib/lib.go", committed)
	w.gitIn(sub, "add", "lib/lib.go")
	forged := w.gitIn(sub, "rev-parse", tree()+":"+dir)
	if dir == "" {
		forged = w.gitIn(sub, "commit-tree", "-m", "m", tree())
	}
	w.gitIn(sub, "reset", "-q")
	w.write("sub/lib/lib.go", there)
	gittest.Forge(w, filepath.Join(w.dir, ".git", "modules", "sub"), name, forged)
}

// poison makes a git directory run a program wherever git looks at files or refs.
func (w *work) poison(dir string) {
	w.Helper()
	trace := filepath.Join(w.dir, ".ferrus", "ran")
	w.write(dir+"/config", `[core]
	repositoryformatversion = 0
	fsmonitor = touch `+trace+`
	hooksPath = hooks
[filter "x"]
	clean = touch `+trace+`
	smudge = touch `+trace+`
[diff "x"]
	command = touch `+trace+`
	textconv = touch `+trace+`
`)
	w.write(dir+"/info/attributes", "* filter=x diff=x\n")
	w.Cleanup(func() {
		if _, err := os.Lstat(trace); err == nil {
			w.Error("a program of the poisoned configuration ran")
		}
	})
}

// nest makes a repository inside the worktree.
func (w *work) nest(name string, commit bool) {
	w.write(name+"/file", "x")
	w.gitIn(filepath.Join(w.dir, name), "init", "-q")
	if commit {
		w.gitIn(filepath.Join(w.dir, name), "add", "-A")
		w.gitIn(filepath.Join(w.dir, name), "commit", "-q", "-m", "m")
	}
}

// submodule adds a clean one and commits it.
func (w *work) submodule() {
	w.git("submodule", "add", "-q", newWork(w.T).dir, "sub")
	w.commit()
	w.tree()
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

func init() { parts["tree"] = func() error { return printTree() } }

// printTree plays a process that may read less than the owner of the files.
func printTree() error {
	dir := os.Getenv("TEST_DIR")
	tree, err := Repo{Workspace: dir, Private: os.Getenv("TEST_PRIVATE")}.Tree(context.Background())
	fmt.Println(strings.Join(tree.Problems, "\n"))
	return err
}

func TestUnreadableFilesAreNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w := newWork(t)
	w.write("secret.go", "x")
	w.write("closed/file.go", "x")
	program, private := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "git")
	w.do(exec.Command("cp", os.Args[0], program).Run())
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "TEST_PART=tree", "TEST_DIR="+w.dir, "TEST_PRIVATE="+private)
	if os.Getuid() == 0 { // Root reads everything, so become another user.
		other := 65534
		w.do(os.Chmod(filepath.Dir(private), 0o755))
		w.do(os.Chmod(filepath.Dir(filepath.Dir(private)), 0o755))
		for dir := range map[string]bool{w.dir: true, filepath.Dir(private): true} {
			w.do(exec.Command("chown", "-R", fmt.Sprint(other), dir).Run())
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(other), Gid: uint32(other)}}
	}
	w.do(os.Chmod(filepath.Join(w.dir, "secret.go"), 0))
	w.do(os.Chmod(filepath.Join(w.dir, "closed"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(w.dir, "closed"), 0o755) })
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "secret.go") || !strings.Contains(string(out), "closed") {
		t.Errorf("got %v\n%s", err, out)
	}
}

func TestBrokenPrivateDirectoryIsMadeAnew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	for name, harm := range map[string]func(*work) error{
		"index": func(w *work) error {
			return os.WriteFile(filepath.Join(w.Private, "index"), []byte("rubbish"), 0o600)
		},
		"lock": func(w *work) error { return os.WriteFile(filepath.Join(w.Private, "index.lock"), nil, 0o600) },
		"lock of another index": func(w *work) error {
			return os.WriteFile(filepath.Join(w.Private, "stored.index.lock"), nil, 0o600)
		},
		"config": func(w *work) error {
			return os.WriteFile(filepath.Join(w.Private, "config"), []byte("[core"), 0o600)
		},
		"objects":    func(w *work) error { return os.RemoveAll(filepath.Join(w.Private, "objects")) },
		"everything": func(w *work) error { return os.RemoveAll(w.Private) },
		"alternate": func(w *work) error { // The user's repository forgets an object that the index relies on.
			blob := w.git("rev-parse", ":staged.go")
			w.git("reset", "-q")
			return os.Remove(filepath.Join(w.dir, ".git/objects", blob[:2], blob[2:]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWork(t)
			w.write("staged.go", "x")
			w.git("add", "staged.go")
			w.write("untracked.go", "x")
			first := w.tree()
			w.do(harm(w))
			if got := w.tree(); got != first {
				t.Errorf("got %s, want %s", got, first)
			}
			if _, err := w.Stored(t.Context(), first, ""); err != nil {
				t.Error(err)
			}
		})
	}
}

// The user's repository forgets an object between the gate and the landing; the file is still there.
func TestStoredWritesALostObjectAgain(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	w.write("staged.go", "x")
	w.git("add", "staged.go")
	tree := w.tree()
	blob := w.git("rev-parse", ":staged.go")
	w.git("reset", "-q")
	w.do(os.Remove(filepath.Join(w.dir, ".git/objects", blob[:2], blob[2:])))
	if stored, err := w.Stored(t.Context(), tree, ""); err != nil || stored != tree {
		t.Errorf("stored %s as %s, %v", tree, stored, err)
	}
	if got := w.git("cat-file", "-t", blob); got != "blob" {
		t.Errorf("the lost object is a %q", got)
	}
}

func TestTreesAtTheSameTime(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	want := w.tree()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got, err := w.Tree(t.Context()); err != nil || got.Hash != want {
				t.Errorf("got %v, %v", got, err)
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
		t.Errorf("got %q, %v", got, err)
	}
	for i := range 150 {
		w.write(fmt.Sprintf("many/%03d", i), "x")
	}
	got, err = w.Changed(t.Context(), b, w.tree())
	if err != nil || len(got) != changedCount+1 || got[changedCount] != "and 50 more" {
		t.Errorf("got %d, %v", len(got), err)
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

// A merge takes what both sides changed, whatever the attributes of either say.
func TestMergeOfTrees(t *testing.T) {
	t.Parallel()
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
		t.Errorf("got %+v", m)
	}
}
