package checks

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
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

// tree returns the present tree, without problems, and checks that a new index gives the same.
func (w *work) tree() string {
	w.Helper()
	tree, err := w.Tree(w.Context())
	w.do(err)
	if len(tree.Problems) > 0 {
		w.Fatalf("the tree has problems: %q", tree.Problems)
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
