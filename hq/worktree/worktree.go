// Package worktree creates and removes the git worktree of a task.
//
// [Make] creates .ferrus/worktrees/<id> on the new branch ferrus/<id>. [Losses] returns
// what removing it would lose, [Remove] removes one only if nothing would be lost, and
// [Discard] removes any. [List] lists them. The checkout that a worktree is made from
// is only read: its branch, index and files do not change.
//
// Removing is idempotent: after a crash the same call completes it. The package knows
// nothing about tasks and states; an id is any name made of letters, digits, dots,
// dashes and underscores.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/ui/text/lazyregexp"
)

// Folder is the directory of a project's worktrees, below .ferrus.
const Folder = "worktrees"

// branches is the prefix of the worktrees' branches.
const branches = "ferrus/"

// ids matches the valid ids.
var ids = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Place identifies a worktree of a project, whether it exists or not.
type Place struct {
	Project string // absolute, without links
	ID      string // t-20261120-101500-4f2a
}

// Top returns the directory of the worktree.
func (p Place) Top() string { return filepath.Join(p.Project, ".ferrus", Folder, p.ID) }

// Branch returns the name of its branch.
func (p Place) Branch() string { return branches + p.ID }

// ref returns the full name of the branch.
func (p Place) ref() string { return "refs/heads/" + p.Branch() }

// check refuses an id that could lead elsewhere, or is not valid in a branch name.
func (p Place) check() error {
	if !ids.MatchString(p.ID) || strings.Contains(p.ID, "..") || strings.HasSuffix(p.ID, ".lock") ||
		strings.HasSuffix(p.ID, ".") {
		return fmt.Errorf("%q is not a valid worktree id", p.ID)
	}
	return nil
}

// Made describes a new worktree.
type Made struct {
	Dir    string // the project directory in it, absolute
	From   string // branch of the checkout it was made from; empty: none was checked out
	Commit string // the tip of its branch
	Start  string // the commit below, where Commit holds uncommitted changes; else empty
	Left   int    // files with changes that stayed behind in the checkout
}

// ErrNoCommit reports a repository without a commit to base a worktree on.
var ErrNoCommit = errors.New("a worktree needs a commit, and the repository has none yet; run: git commit")

// Options say what a worktree gets beside the commit of the checkout.
type Options struct {
	Changes bool     // uncommitted changes, as a separate commit on the new branch
	Clone   []string // ignored files and directories, relative to the project directory
	Branch  string   // that it starts from, with no changes; empty: what is checked out
	Adopted string   // a commit of [Snapshot], which it continues; empty: none
	From    string   // with Adopted: the directory whose ignored files are copied; empty or gone: the project
}

// Make makes a worktree from the project's checkout. Ignored files that .worktreeinclude names are
// copied. If something fails, what was made is removed.
func Make(ctx context.Context, p Place, o Options) (Made, error) {
	m, err := p.make(ctx, o)
	if err != nil {
		return m, fmt.Errorf("make a worktree: %w", err)
	}
	return m, nil
}

func (p Place) make(ctx context.Context, o Options) (m Made, err error) {
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
	m.Dir = filepath.Join(p.Top(), below)
	if err := m.findStart(ctx, home, o); err != nil {
		return m, err
	}
	if err := p.add(ctx, home, m, o); err != nil {
		undone := Discard(context.WithoutCancel(ctx), p)
		return m, errors.Join(err, undone)
	}
	return m, nil
}

// findStart finds the commit that the worktree starts from.
func (m *Made) findStart(ctx context.Context, home git.Repository, o Options) (err error) {
	if o.Branch != "" {
		m.From = o.Branch
		m.Commit, err = home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+o.Branch+"^{commit}")
		if err != nil {
			err = fmt.Errorf("the branch %s, which it starts from, is gone", o.Branch)
		}
		return err
	}
	if _, m.Commit, _, err = home.Present(ctx); err != nil {
		return err
	} else if m.Commit == "" {
		return ErrNoCommit
	}
	if m.From, err = Branch(ctx, home); err != nil {
		return err
	}
	if o.Adopted != "" {
		m.Commit, err = home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", o.Adopted+"^1^{commit}")
		return err
	}
	if !o.Changes {
		m.Left, err = dirty(ctx, home)
		return err
	}
	start := m.Commit
	if m.Commit, err = snapshot(ctx, home, start); m.Commit != start {
		m.Start = start
	}
	return err
}

// changing is held while git changes the list of worktrees: it removes a directory that it finds
// empty, under another git that is about to write there.
var changing sync.Mutex

// changeWorktrees runs a command of git worktree, one at a time.
func changeWorktrees(ctx context.Context, home git.Repository, args ...string) error {
	changing.Lock()
	defer changing.Unlock()
	return home.Places().Do(ctx, append([]string{"worktree"}, args...)...)
}

// add makes the worktree with git, and copies the ignored files.
func (p Place) add(ctx context.Context, home git.Repository, m Made, o Options) error {
	if err := changeWorktrees(ctx, home, "add", "--no-checkout", "--quiet", "--no-track", "-b", p.Branch(), "--",
		p.Top(), m.Commit); err != nil {
		return err
	}
	made, err := home.Worktree(p.Top())
	if err == nil {
		err = fill(ctx, made, o.Adopted)
	}
	if err != nil {
		return err
	}
	if info, err := os.Stat(m.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("the project directory is not in commit %.12s: commit it first", m.Commit)
	}
	if from, err := git.Locate(o.From); o.From != "" && err == nil {
		home = from
	}
	if err := Include(ctx, home, p.Top()); err != nil {
		return err
	}
	below, err := filepath.Rel(p.Top(), m.Dir)
	if err != nil {
		return err
	}
	for _, name := range o.Clone {
		if err := Clone(ctx, home, p.Top(), filepath.Join(below, name)); err != nil {
			return err
		}
	}
	return nil
}

// Branch returns the short name of the branch that a worktree has checked out; empty:
// none. Without git's answer, which it is, is not known.
func Branch(ctx context.Context, r git.Repository) (string, error) {
	ref, err := r.Git().Output(ctx, "symbolic-ref", "--quiet", "HEAD")
	if failed := (*git.Failed)(nil); errors.As(err, &failed) && failed.Exit == detached {
		return "", nil
	}
	return strings.TrimPrefix(ref, "refs/heads/"), err
}

// detached is git's exit status where HEAD names no branch.
const detached = 1

// dirty counts the files with uncommitted changes.
func dirty(ctx context.Context, r git.Repository) (int, error) {
	names, err := r.Git().List(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
	return len(names), err
}

// Find returns the project of a directory inside one of its worktrees; false for any other
// directory.
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

// findMoved returns the project of a worktree that was moved: its branch shows that it is
// one of ours, and its repository where it came from.
func findMoved(top, dir string) (project string, ok bool) {
	r, err := git.Locate(top)
	if err != nil || !r.Linked() || filepath.Base(r.Common) != ".git" {
		return "", false
	}
	head, err := regular.Read(filepath.Join(r.Dir, "HEAD"), 64<<10)
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
