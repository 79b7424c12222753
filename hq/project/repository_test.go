package project_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store"
)

// If an agent replaces, redirects or extends the git directory, nothing is read from it until the
// human has accepted it.
func TestAnotherGitDirectoryIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		attack func(t *testing.T, dir string)
	}{
		"another directory": {func(t *testing.T, dir string) {
			copied := filepath.Join(t.TempDir(), "copied")
			hqtest.Must(t, os.CopyFS(copied, os.DirFS(filepath.Join(dir, ".git"))))
			hqtest.Must(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(t.TempDir(), "old")))
			hqtest.Must(t, os.Rename(copied, filepath.Join(dir, ".git")))
		}},
		"a file that names another": {func(t *testing.T, dir string) {
			moved := filepath.Join(t.TempDir(), "moved")
			hqtest.Must(t, os.Rename(filepath.Join(dir, ".git"), moved))
			hqtest.Write(t, dir, ".git", "gitdir: "+moved+"\n")
		}},
		"a link to another": {func(t *testing.T, dir string) {
			moved := filepath.Join(t.TempDir(), "moved")
			hqtest.Must(t, os.Rename(filepath.Join(dir, ".git"), moved))
			hqtest.Must(t, os.Symlink(moved, filepath.Join(dir, ".git")))
		}},
		"commondir": {func(t *testing.T, dir string) {
			other := t.TempDir()
			gittest.Commit(t, other)
			hqtest.Write(t, dir, ".git/commondir", filepath.Join(other, ".git")+"\n")
		}},
		"alternates": {func(t *testing.T, dir string) {
			hqtest.Write(t, dir, ".git/objects/info/alternates", t.TempDir()+"\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := hqtest.NewProject(t, nil).Dir
			heads := store.Heads(filepath.Join(t.TempDir(), "heads"))
			open := func() *project.Task {
				p, err := project.OpenKept(dir, heads)
				hqtest.Must(t, err)
				return p
			}
			human := open()
			hqtest.Must(t, human.RecordRepository())
			hqtest.Must(t, human.CheckPlace(t.Context()))
			c.attack(t, dir)
			for _, p := range []*project.Task{human, open()} {
				hqtest.Must(t, p.RecordRepository()) // It is not recorded anew.
				if err := p.CheckPlace(t.Context()); !errors.As(err, new(*store.PlaceError)) {
					t.Fatalf("got %v, want a PlaceError", err)
				}
				if _, err := p.Repo().Tree(t.Context()); !errors.As(err, new(*git.MovedError)) {
					t.Errorf("a tree: %v", err)
				}
				if err := git.Around(dir).Do(t.Context(), "rev-parse"); !errors.As(err, new(*git.MovedError)) {
					t.Errorf("git: %v, want a MovedError", err)
				}
			}
			hqtest.Must(t, open().Adopt(context.Background()))
			if _, err := human.Repo().Tree(t.Context()); err != nil {
				t.Errorf("it was accepted: %v", err)
			}
		})
	}
}

// A project that was made anew in the same place is another one.
func TestAProjectThatWasMadeAnewIsRecordedAnew(t *testing.T) {
	t.Parallel()
	p := hqtest.NewProject(t, nil)
	heads := store.Heads(filepath.Join(t.TempDir(), "heads"))
	first, err := project.OpenKept(p.Dir, heads)
	hqtest.Must(t, err)
	hqtest.Must(t, first.RecordRepository())
	for _, name := range []string{".git", ".ferrus"} {
		hqtest.Must(t, os.Rename(filepath.Join(p.Dir, name), filepath.Join(t.TempDir(), "old")))
	}
	gittest.Commit(t, p.Dir)
	hqtest.Open(t, p.Dir)
	second, err := project.OpenKept(p.Dir, heads)
	hqtest.Must(t, err)
	hqtest.Must(t, second.RecordRepository())
	if _, err := git.Locate(p.Dir); err != nil {
		t.Error(err)
	}
}
