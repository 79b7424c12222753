package checks

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

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
				t.Errorf("the problems are %q, want %q", got, c.want)
			}
		})
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
		t.Errorf("got %v, want problems with secret.go and closed\n%s", err, out)
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

// The user's repository loses an object between the gate and the landing; the file is still there.
func TestStoredWritesALostObjectAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
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

// A name that another system takes for git's directory is a problem, not a part of the tree.
func TestNamesOfGitElsewhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".g\u200Cit/config", ".git /config", "sub/GIT~1"} {
		w := newWork(t)
		w.write(name, "x\n")
		tree, err := w.Tree(t.Context())
		if w.do(err); len(tree.Problems) == 0 {
			t.Errorf("%q is in the tree without a problem", name)
		}
	}
}
