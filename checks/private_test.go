package checks

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ferrus/store/exectest"
)

// A killed process leaves its git behind, which still writes the index.
func TestAGitThatOutlivesItsProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newWork(t)
	p, err := r.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	orphan := p.ownGit().Command(t.Context(), "cat-file", "--batch")
	input, err := orphan.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	p.close()
	soon, cancel := context.WithTimeout(t.Context(), 10*lockEvery)
	defer cancel()
	if p, err := r.open(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("opened beside a git that runs: %v, %v", p, err)
	}
	input.Close()
	if err := orphan.Wait(); err != nil {
		t.Error(err)
	}
	later, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if p, err = r.open(later); err != nil {
		t.Fatal(err)
	}
	p.close()
}

// If one worktree cannot be read, the others keep their proven trees: the objects are shared.
func TestAFailedReadKeepsTheTreesOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	for name, harm := range map[string]func(w *work){
		"a git that is killed":      func(w *work) { killsAdd(w, "*") },
		"a git that is killed once": func(w *work) { killsAdd(w, "x") },
		"a git that fails":          func(w *work) { failsAdd(w) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWork(t)
			w.write("proven.go", "x")
			proven := w.tree()
			w.write("proven.go", "y")
			harm(w)
			_, _ = w.Tree(t.Context())
			p, err := w.open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			if err := p.ownGit().Do(t.Context(), "cat-file", "-e", proven); err != nil {
				t.Errorf("the proven tree is gone: %v", err)
			}
		})
	}
}

// A file that becomes shorter while git adds it ends git, which leaves its lock, after it has complained of others.
func TestAFileThatBecomesShorterIsReadAgain(t *testing.T) {
	w := newWork(t)
	w.write("a.go", "x")
	if tree, err := w.Tree(t.Context()); err != nil || len(tree.Problems) > 0 {
		t.Fatal(tree, err)
	}
	w.write("b.go", "y")
	locks := `touch "$GIT_INDEX_FILE.lock"; echo "error: open(\"c.log\"): gone" >&2; kill -BUS $$`
	wrapAdd(w, "case $(cat $0.runs) in x|xx) "+locks+";; esac")
	tree, err := w.Tree(t.Context())
	if err != nil || len(tree.Problems) > 0 || tree.Hash == "" {
		t.Errorf("the tree is %+v, %v; want one without problems", tree, err)
	}
}

func killsAdd(w *work, runs string) { wrapAdd(w, "case $(cat $0.runs) in "+runs+") kill -9 $$;; esac") }

func failsAdd(w *work) { wrapAdd(w, "echo 'fatal: unable to write new index file' >&2; exit 128") }

// wrapAdd puts a git first on PATH that does something else where it is to add files.
func wrapAdd(w *work, does string) {
	w.Helper()
	real, err := exec.LookPath("git")
	w.do(err)
	dir := w.TempDir()
	script := "#!/bin/sh\ncase \" $* \" in *\" add \"*) printf x >>$0.runs; " + does + ";; esac\n" +
		"exec " + real + " \"$@\"\n"
	w.do(exectest.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755))
	w.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}
