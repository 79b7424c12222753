package checks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ferrus/store/longtest"
)

// change does something to the files of a worktree that git add may have to notice.
func (w *work) change(random *rand.Rand) string {
	w.Helper()
	file := []string{"main.go", "lib/lib.go", "lib/deep/a", "lib/deep/b", "new", "out/x", "ignored/kept", "a.log",
		"lib/deep/a.log", "ignored/x.txt", "empty/e"}[random.IntN(11)]
	at := filepath.Join(w.dir, file)
	content := fmt.Sprint(random.IntN(4)) // so that sizes are the same, and contents come back
	w.do(os.MkdirAll(filepath.Dir(at), 0o755))
	info, err := os.Lstat(at)
	if err == nil && info.IsDir() {
		w.do(os.RemoveAll(at))
	}
	switch n := random.IntN(24); {
	case n < 10 && err == nil && info.Mode().IsRegular():
		w.write(file, content)
		return "write " + file
	case n < 12:
		w.do(os.WriteFile(at+".tmp", []byte(content), 0o644))
		w.do(os.Rename(at+".tmp", at))
		return "replace " + file
	case n < 14:
		w.do(os.RemoveAll(at))
		return "remove " + file
	case n == 14 && err == nil && info.Mode().IsRegular():
		w.do(os.Chmod(at, 0o644|os.FileMode(random.IntN(2))*0o111))
		return "chmod " + file
	case n == 15:
		w.do(os.RemoveAll(at))
		w.do(os.Symlink("to"+content, at))
		return "link " + file
	case n == 16:
		w.do(os.RemoveAll(at))
		w.write(file+"/inside", content)
		return "directory " + file
	case n == 17:
		rules := []string{"*.log\n.ferrus/\n", ".ferrus/\nignored/\n", "*.log\n!a.log\n.ferrus/\n", ".ferrus/\nout\n"}
		w.write(".gitignore", rules[random.IntN(len(rules))])
		return "ignore"
	case n == 18:
		w.write("lib/.gitignore", []string{"*.log\n", "deep/\n", "b\n"}[random.IntN(3)])
		return "ignore in lib"
	case n == 19:
		w.git("add", "--force", "--all", "--", ".", ":(exclude).ferrus")
		return "add --force"
	case n == 20:
		w.git("commit", "--quiet", "--allow-empty", "--message=m")
		return "commit"
	case n == 21 && err == nil && info.Mode().IsRegular(): // with the times that it had
		w.write(file, content)
		w.do(os.Chtimes(at, info.ModTime(), info.ModTime()))
		return "forge " + file
	case n == 22:
		w.do(os.RemoveAll(filepath.Join(w.dir, "lib", "deep")))
		w.do(os.Symlink("../out", filepath.Join(w.dir, "lib", "deep")))
		w.do(os.MkdirAll(filepath.Join(w.dir, "out"), 0o755))
		return "link lib/deep"
	case n == 23:
		if info, err := os.Lstat(filepath.Join(w.dir, "lib", "deep")); err == nil && !info.IsDir() {
			w.do(os.Remove(filepath.Join(w.dir, "lib", "deep")))
		}
		return "no link lib/deep"
	}
	w.write(file, content)
	return "write " + file
}

// TestRefreshedTreesAreGits checks that, whatever happens to the files, a tree that is named without git is the one
// that git finds in the whole worktree.
func TestRefreshedTreesAreGits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	steps := 25
	if longtest.On() {
		steps = 300
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	for _, format := range []string{"sha1", "sha256"} {
		w := newWork(t, "--object-format="+format)
		w.do(os.Mkdir(filepath.Join(w.dir, "empty"), 0o755))
		refreshed, last := 0, w.tree()
		// Of a few random steps there may be none that counts: then there are some more.
		for step := 0; step < steps || refreshed < steps/20 && step < 2*steps; step++ {
			t.Log(step, w.change(random))
			p, err := w.open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tree, err := p.worktree()
			if err != nil {
				t.Fatal(err)
			}
			_, ok := p.refresh(t.Context(), tree)
			p.close()
			got := w.tree() // It compares it with what git finds.
			if ok && got != last {
				refreshed++
			}
			last = got
		}
		if refreshed < steps/20 {
			t.Errorf("only %d of %d trees of %s changed and were named without git", refreshed, steps, format)
		}
		t.Log(refreshed, "of", steps)
	}
}

// TestWorktreesHaveAnIndexEach checks that tasks with worktrees of their own, which share ferrus's git directory, do
// not have git read all files anew in turn, and that what removed worktrees leave is bounded.
func TestWorktreesHaveAnIndexEach(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWork(t)
	other := *w
	other.dir = filepath.Join(w.TempDir(), "other")
	other.Workspace = other.dir
	w.git("worktree", "add", "--quiet", "--detach", other.dir)
	refreshes := func(w *work) bool {
		t.Helper()
		p, err := w.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		tree, err := p.worktree()
		if err != nil {
			t.Fatal(err)
		}
		_, ok := p.refresh(t.Context(), tree)
		return ok
	}
	for _, w := range []*work{w, &other} {
		for !refreshes(w) { // A directory that was just made may change again.
			w.tree()
		}
	}
	for _, w := range []*work{w, &other, w, &other} {
		w.write("main.go", "package main // "+w.dir+time.Now().String()+"\n")
		if !refreshes(w) {
			t.Errorf("git reads all files of %s anew after those of another worktree", w.dir)
		}
		w.tree()
	}
	for n := range 2*indexCount + 10 {
		w.do(os.WriteFile(filepath.Join(w.Private, fmt.Sprint("index", worktreeMark, n)), nil, 0o600))
	}
	other.tree()
	all, err := filepath.Glob(filepath.Join(w.Private, "*"+worktreeMark+"*"))
	if err != nil || len(all) > 2*indexCount+2 {
		t.Errorf("%d files of worktrees are left, want %d at most (%v)", len(all), 2*indexCount+2, err)
	}
}
