// Package worktree gives a task a work tree of its own, and takes it away again.
//
// [Make] makes .ferrus/worktrees/<id> on the new branch ferrus/<id>; [Losses] says
// what would be gone with one, [Remove] takes one away that would lose nothing, and
// [Discard] any. [List] names all that are there. The checkout that a work tree was
// made from is only read: its branch, index and files stay as they are.
//
// All of it is idempotent: after a crash the same call goes on where it was. Nothing
// here knows of tasks or states; an id is any name of letters, digits, dots, dashes
// and underscores.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ferrus/checks/git"
)

// Folder holds the work trees of a project, below .ferrus.
const Folder = "worktrees"

// branches is in front of the name of every branch of a work tree.
const branches = "ferrus/"

// ids are what a work tree may be called.
var ids = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Place is one work tree of a project, there or not.
type Place struct {
	Project string // absolute, without links
	ID      string // t-20261120-101500-4f2a
}

// Top is where its files are.
func (p Place) Top() string { return filepath.Join(p.Project, ".ferrus", Folder, p.ID) }

// Branch is what it has checked out.
func (p Place) Branch() string { return branches + p.ID }

// ref is the branch by its whole name.
func (p Place) ref() string { return "refs/heads/" + p.Branch() }

// check refuses an id that names a place elsewhere.
func (p Place) check() error {
	if !ids.MatchString(p.ID) || strings.Contains(p.ID, "..") || strings.HasSuffix(p.ID, ".lock") || strings.HasSuffix(p.ID, ".") {
		return fmt.Errorf("%q is no name of a work tree", p.ID)
	}
	return nil
}

// Made is what a work tree began as.
type Made struct {
	Dir    string // the project directory in it, absolute
	From   string // branch of the checkout that it was made from; empty: none was checked out
	Commit string // that it stands on
	Left   int    // files with changes that stayed behind in the checkout
}

// ErrNoCommit means that there is nothing yet that a work tree could stand on.
var ErrNoCommit = errors.New("the repository has no commit yet, and a work tree stands on one; run: git commit")

// Make makes a work tree from what is checked out in the project. With changes, what
// is not committed there comes along, as a commit of its own on the new branch.
// Files that git ignores come along where .worktreeinclude names them. What was made
// is taken away again when something fails.
func Make(ctx context.Context, p Place, changes bool) (Made, error) {
	m, err := p.make(ctx, changes)
	if err != nil {
		return m, fmt.Errorf("make a work tree: %w", err)
	}
	return m, nil
}

func (p Place) make(ctx context.Context, changes bool) (m Made, err error) {
	if err := p.check(); err != nil {
		return m, err
	}
	home, err := git.Locate(p.Project)
	if err != nil {
		return m, err
	}
	below, err := filepath.Rel(home.Top, p.Project)
	if err != nil {
		return m, err
	}
	if _, m.Commit, _, err = home.Present(ctx); err != nil {
		return m, err
	} else if m.Commit == "" {
		return m, ErrNoCommit
	}
	m.From, m.Dir = Branch(ctx, home), filepath.Join(p.Top(), below)
	if changes {
		m.Commit, err = snapshot(ctx, home, m.Commit)
	} else {
		m.Left, err = dirty(ctx, home)
	}
	if err != nil {
		return m, err
	}
	if err := p.add(ctx, home, m); err != nil {
		undone := Discard(context.WithoutCancel(ctx), p)
		return m, errors.Join(err, undone)
	}
	return m, nil
}

// add makes the files of the work tree.
func (p Place) add(ctx context.Context, home git.Repository, m Made) error {
	if err := home.Git().Do(ctx, "worktree", "add", "--quiet", "--no-track", "-b", p.Branch(), "--", p.Top(), m.Commit); err != nil {
		return err
	}
	if info, err := os.Stat(m.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("the project directory is not in commit %.12s: commit it first", m.Commit)
	}
	return include(ctx, home, p)
}

// Branch is the short name of what a work tree has checked out; empty where it is no
// branch.
func Branch(ctx context.Context, r git.Repository) string {
	ref, err := r.Git().Line(ctx, "symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// dirty counts the files whose changes stay behind.
func dirty(ctx context.Context, r git.Repository) (int, error) {
	names, err := r.Git().List(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
	return len(names), err
}

// Find is the project that a directory inside one of its work trees belongs to;
// false for every other directory.
func Find(dir string) (project string, ok bool) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		above := filepath.Dir(at)
		if filepath.Base(above) == Folder && filepath.Base(filepath.Dir(above)) == ".ferrus" {
			return filepath.Dir(filepath.Dir(above)), true
		}
		if info, err := os.Lstat(filepath.Join(at, ".git")); err == nil && info.Mode().IsRegular() {
			return findMoved(at, dir)
		}
		if above == at {
			return "", false
		}
	}
}

// findMoved is for a work tree that somebody moved: its branch says that it is one of
// ours, and its repository where it came from.
func findMoved(top, dir string) (project string, ok bool) {
	r, err := git.Locate(top)
	if err != nil || !r.Linked() || filepath.Base(r.Common) != ".git" {
		return "", false
	}
	head, err := os.ReadFile(filepath.Join(r.Dir, "HEAD"))
	if err != nil || !strings.HasPrefix(string(head), "ref: refs/heads/"+branches) {
		return "", false
	}
	below, err := filepath.Rel(top, dir)
	if err != nil {
		return "", false
	}
	home := filepath.Dir(r.Common)
	for at := filepath.Join(home, below); ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, ".ferrus", Folder)); err == nil && info.IsDir() {
			return at, true
		}
		if at == home || at == filepath.Dir(at) {
			return "", false
		}
	}
}
