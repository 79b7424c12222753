package worktree

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
)

// fixture is a repository with a project in it. Package hqtest cannot make it: it imports this one.
type fixture struct {
	*testing.T
	dir string
	Place
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &fixture{T: t, dir: dir, Place: Place{Project: dir, ID: "t-1"}}
	l.write("main.go", "package main\n")
	l.write(".gitignore", ".ferrus/\n.env\nbig/\n")
	gittest.Commit(t, dir)
	return l
}

func (l *fixture) git(args ...string) string { l.Helper(); return l.gitIn(l.dir, args...) }

func (l *fixture) gitIn(dir string, args ...string) string {
	l.Helper()
	out, err := git.In(dir).Output(l.Context(), args...)
	if err != nil {
		l.Fatal(err)
	}
	return out
}

func (l *fixture) write(name, text string) {
	l.Helper()
	name = filepath.Join(l.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		l.Fatal(err)
	}
}

func (l *fixture) make(changes bool) Made {
	l.Helper()
	m, err := Make(l.Context(), l.Place, Options{Changes: changes})
	if err != nil {
		l.Fatal(err)
	}
	return m
}

func (l *fixture) has(name string) bool {
	_, err := os.Stat(filepath.Join(l.Top(), name))
	return err == nil
}

func TestAWorkTreeStandsOnTheCommit(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write("main.go", "changed")
	l.write("new.go", "new")
	index, _ := os.ReadFile(filepath.Join(l.dir, ".git", "index"))
	m := l.make(false)
	if m.From != "main" || m.Commit != l.git("rev-parse", "HEAD") || m.Dir != l.Top() || m.Left != 2 {
		t.Errorf("%+v", m)
	}
	if l.has("new.go") || l.gitIn(l.Top(), "status", "--porcelain") != "" ||
		l.gitIn(l.Top(), "symbolic-ref", "HEAD") != "refs/heads/ferrus/t-1" {
		t.Error("it is not the commit")
	}
	if now, _ := os.ReadFile(filepath.Join(l.dir, ".git", "index")); string(now) != string(index) {
		t.Error("the index moved")
	}
	if _, err := Make(t.Context(), l.Place, Options{}); err == nil {
		t.Error("made twice")
	}
}

func TestChangesComeAlongWhenAsked(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write("main.go", "changed")
	l.write("new.go", "new")
	before := l.git("status", "--porcelain")
	m := l.make(true)
	if !l.has("new.go") || m.Left != 0 || m.Commit == l.git("rev-parse", "HEAD") ||
		l.gitIn(l.Top(), "status", "--porcelain") != "" {
		t.Errorf("%+v", m)
	}
	if l.git("status", "--porcelain") != before || l.git("rev-list", "--count", "HEAD") != "1" {
		t.Error("the checkout moved")
	}
}

func TestIgnoredFilesComeAlongWhereNamed(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write(IncludeFile, ".env\nbig/*.bin\nnot-ignored.txt\n.ferrus/\n")
	l.write(".env", "secret")
	l.write("big/a.bin", "a")
	l.write("big/b.txt", "b")
	l.write("not-ignored.txt", "mine")
	l.write(".ferrus/STATE.json", "{}")
	if err := os.Symlink("a.bin", filepath.Join(l.dir, "big", "l.bin")); err != nil {
		t.Fatal(err)
	}
	l.make(false)
	for name, want := range map[string]bool{".env": true, "big/a.bin": true, "big/l.bin": true, "big/b.txt": false,
		"not-ignored.txt": false, ".ferrus": false} {
		if l.has(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestNothingIsLeftOfWhatFailed(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write("sub/x", "not committed")
	l.Project = filepath.Join(l.dir, "sub")
	if _, err := Make(t.Context(), l.Place, Options{}); err == nil || !strings.Contains(err.Error(), "not in commit") {
		t.Errorf("got %v", err)
	}
	if list, err := List(t.Context(), l.Project); err != nil || len(list) != 0 || l.git("branch") != "* main" {
		t.Errorf("%v, %v, %s", list, err, l.git("branch"))
	}
	for _, id := range []string{"", "..", "a/b", "-x", "a..b", "x.lock"} {
		if _, err := Make(t.Context(), Place{Project: l.dir, ID: id}, Options{}); err == nil {
			t.Errorf("%q is a name", id)
		}
	}
}

// What would be lost keeps a worktree where it is; when nothing is, it goes, twice.
func TestRemoveLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*fixture)
		says  string
	}{
		"a changed file": {func(l *fixture) { l.writeIn("main.go") }, "uncommitted: main.go"},
		"a new file":     {func(l *fixture) { l.writeIn("n.go") }, "uncommitted: n.go"},
		"a hidden change": {func(l *fixture) {
			l.gitIn(l.Top(), "update-index", "--assume-unchanged", "main.go")
			l.writeIn("main.go")
		}, "hidden from git"},
		"a commit": {func(l *fixture) {
			l.gitIn(l.Top(), "commit", "-q", "--allow-empty", "-m", "only here")
		}, "only here"},
		"a detached commit": {func(l *fixture) {
			l.gitIn(l.Top(), "checkout", "-q", "--detach")
			l.gitIn(l.Top(), "commit", "-q", "--allow-empty", "-m", "only here")
		}, "only here"},
		"a process": {func(l *fixture) {
			sleep := exec.Command("sleep", "1000")
			sleep.Dir = l.Top()
			if err := sleep.Start(); err != nil {
				l.Fatal(err)
			}
			l.Cleanup(func() { _ = sleep.Process.Kill(); _ = sleep.Wait() })
		}, "sleep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t)
			l.make(false)
			c.spoil(l)
			err := removeUnlessLost(t.Context(), l.Place)
			var lost *LossError
			if !errors.As(err, &lost) || !strings.Contains(err.Error(), c.says) || !l.has("main.go") {
				t.Fatalf("got %v", err)
			}
		})
	}
	l := newFixture(t)
	l.make(false)
	for range 2 {
		if err := removeUnlessLost(t.Context(), l.Place); err != nil || l.has(".") || l.git("branch") != "* main" {
			t.Errorf("%v, %s", err, l.git("branch"))
		}
	}
}

func removeUnlessLost(ctx context.Context, p Place) error {
	loss, err := Losses(ctx, p)
	if err == nil && !loss.None() {
		err = &LossError{Place: p, Loss: loss}
	}
	if err != nil {
		return err
	}
	return Discard(ctx, p)
}

func (l *fixture) writeIn(name string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(l.Top(), name), []byte("x"), 0o644); err != nil {
		l.Fatal(err)
	}
}

func TestDiscardTakesAllAndListFindsRemains(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.make(false)
	l.writeIn("n.go")
	half := Place{Project: l.dir, ID: "t-2"}
	l.git("branch", "ferrus/t-2")
	if err := os.MkdirAll(filepath.Join(l.dir, ".ferrus", Folder, "t-3"), 0o755); err != nil {
		t.Fatal(err)
	}
	list, err := List(t.Context(), l.dir)
	want := []Found{{l.Place, true, true}, {half, false, true}, {Place{l.dir, "t-3"}, false, false}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.Chmod(l.Top(), 0); err != nil { // as a session may
		t.Fatal(err)
	}
	for _, f := range list {
		if err := Discard(t.Context(), f.Place); err != nil {
			t.Error(err)
		}
	}
	if list, err := List(t.Context(), l.dir); err != nil || len(list) != 0 || l.git("branch") != "* main" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestFindKnowsOurOwn(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write("sub/x", "x")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "sub")
	l.make(false)
	moved, theirs := filepath.Join(t.TempDir(), "m"), filepath.Join(t.TempDir(), "w")
	l.git("worktree", "add", "-q", "-b", "other", theirs)
	for dir, want := range map[string]string{l.Top(): l.dir, l.Top() + "/sub": l.dir, l.dir: "", theirs: "",
		t.TempDir(): ""} {
		if got, ok := Find(dir); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	l.git("worktree", "move", l.Top(), moved)
	if got, ok := Find(filepath.Join(moved, "sub")); !ok || got != l.dir {
		t.Errorf("moved: %q", got)
	}
}
