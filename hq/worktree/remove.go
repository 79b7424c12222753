package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/agent/process"
	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/checks/workspace"
)

// Loss is what removing a worktree would lose.
type Loss struct {
	Commits   []string // on its branch and on no other branch or tag: hash and subject, newest first
	Files     []string // changed or new, and not committed
	Under     string   // the unfinished git operation there: a rebase; empty: none
	Processes []string // running in it: pid and program
}

// None reports whether nothing would be lost.
func (l Loss) None() bool {
	return len(l.Commits)+len(l.Files)+len(l.Processes) == 0 && l.Under == ""
}

// Lines describes the loss, one thing per line and at most most of each kind.
func (l Loss) Lines(most int) []string {
	var all []string
	for _, kind := range []struct {
		what  string
		names []string
	}{{"commit", l.Commits}, {"uncommitted", l.Files}, {"process", l.Processes}} {
		for i, name := range kind.names {
			if i == most {
				all = append(all, fmt.Sprintf("%s: and %d more", kind.what, len(kind.names)-most))
				break
			}
			all = append(all, kind.what+": "+name)
		}
	}
	if l.Under != "" {
		all = append(all, "unfinished: "+l.Under)
	}
	return all
}

// LossError reports that a worktree was not removed because of what would be lost.
type LossError struct {
	Place Place
	Loss  Loss
}

func (l *LossError) Error() string {
	return fmt.Sprintf("removing the worktree of %s would lose: %s", l.Place.ID, strings.Join(l.Loss.Lines(3), "; "))
}

// Losses returns what removing a worktree would lose now. Without a directory that can
// only be the commits of its branch.
func Losses(ctx context.Context, p Place) (Loss, error) {
	l, err := p.losses(ctx)
	if err != nil {
		return l, fmt.Errorf("inspect the worktree %s: %w", p.ID, err)
	}
	return l, nil
}

func (p Place) losses(ctx context.Context) (l Loss, err error) {
	home, err := p.home()
	if err != nil {
		return l, err
	}
	tips, err := p.tips(ctx, home)
	if err != nil {
		return l, err
	}
	if len(tips) > 0 {
		args := append([]string{"log", "-z", "--format=%h %s"}, tips...)
		args = append(args, "--not", "--exclude="+p.Branch(), "--branches", "--remotes", "--tags", "--")
		if l.Commits, err = home.Git().List(ctx, args...); err != nil {
			return l, err
		}
	}
	tree, there, err := p.tree()
	if err != nil || !there {
		return l, err
	}
	if l.Files, err = changed(ctx, tree); err != nil {
		return l, err
	}
	l.Under = InProgress(tree)
	l.Processes, err = process.WorkingIn(p.Top())
	return l, err
}

// home returns the repository of the project.
func (p Place) home() (git.Repository, error) {
	if err := p.check(); err != nil {
		return git.Repository{}, err
	}
	return git.Locate(p.Project)
}

// tree returns the repository of the worktree itself; false if there is none.
func (p Place) tree() (git.Repository, bool, error) {
	if _, err := os.Lstat(filepath.Join(p.Top(), ".git")); errors.Is(err, fs.ErrNotExist) {
		return git.Repository{}, false, nil
	}
	home, err := p.home()
	if err != nil {
		return home, false, err
	}
	r, err := home.Worktree(p.Top())
	if errors.Is(err, git.ErrNoRepository) {
		return r, false, nil
	}
	return r, err == nil, err
}

// tips returns the commits at the tip of the branch and of the worktree.
func (p Place) tips(ctx context.Context, home git.Repository) (all []string, err error) {
	if tip, err := home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", p.ref()+"^{commit}"); err == nil {
		all = append(all, tip)
	}
	tree, there, err := p.tree()
	if err != nil || !there {
		return all, errors.Join(err, ctx.Err())
	}
	if tip, err := tree.Git().Output(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		all = append(all, tip)
	}
	return all, ctx.Err()
}

// changed returns the files of a worktree that differ from its commit, including files
// that were hidden from git status (skip-worktree and assume-unchanged).
func changed(ctx context.Context, tree git.Repository) (all []string, err error) {
	err = tree.Git().Each(ctx, func(entry string) { all = append(all, entry[min(3, len(entry)):]) },
		"status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	err = tree.Git().Each(ctx, func(entry string) {
		meta, name, _ := strings.Cut(entry, "\t") // H 100644 <id> 0
		switch {
		case meta == "":
		case meta[0] == 'S' || meta[0] >= 'a' && meta[0] <= 'z':
			all = append(all, name+" (hidden from git)")
		case strings.Contains(meta, " 160000 "):
			if _, err := os.Lstat(filepath.Join(tree.Top, filepath.FromSlash(name), ".git")); err == nil {
				all = append(all, name+" (a submodule, which ferrus does not examine)")
			}
		}
	}, "ls-files", "-v", "-s", "-z")
	return all, err
}

// InProgress returns the unfinished git operation in a worktree; empty: none.
func InProgress(r git.Repository) string {
	for _, mark := range []struct{ name, words string }{
		{"rebase-merge", "a rebase"}, {"rebase-apply", "a rebase"}, {"MERGE_HEAD", "a merge"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"},
	} {
		if _, err := os.Lstat(filepath.Join(r.Dir, mark.name)); err == nil {
			return mark.words
		}
	}
	return ""
}

// Rebases reports whether a rebase is under way in a worktree that moves a branch when it ends, which is named in full.
func Rebases(r git.Repository, ref string) bool {
	for _, name := range []string{"rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"} {
		data, err := regular.Read(filepath.Join(r.Dir, name), 1<<20)
		if err == nil && slices.Contains(strings.Split(string(data), "\n"), ref) {
			return true
		}
	}
	return false
}

// Discard removes a worktree and its branch, whatever is lost. Use it only after the human
// has seen the [Losses] and agreed, or for a worktree that was never used.
// Removing what does not exist is no error.
func Discard(ctx context.Context, p Place) error {
	home, err := p.home()
	if err != nil {
		return fmt.Errorf("remove the worktree %s: %w", p.ID, err)
	}
	tip, known := home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", p.ref())
	if err := p.removeTree(ctx, home); err != nil {
		return fmt.Errorf("remove the worktree %s: %w", p.ID, err)
	}
	if known == nil {
		err = home.Git().Do(ctx, "update-ref", "-d", p.ref(), tip)
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		return fmt.Errorf("remove the branch %s: %w", p.Branch(), err)
	}
	return nil
}

// removeTree removes the files and what git knows of them. The .git goes first, in one step: after a kill there
// is no worktree any more, in which the removed files would be changes that must not be lost.
func (p Place) removeTree(ctx context.Context, home git.Repository) error {
	if err := Open(p.Top()); err != nil {
		return err
	}
	if tree, there, _ := p.tree(); there {
		lock := os.Remove(filepath.Join(tree.Dir, "locked")) // git keeps what it knows of a locked one
		if lock != nil && !errors.Is(lock, fs.ErrNotExist) {
			return lock
		}
	}
	dotGit := filepath.Join(p.Top(), ".git")
	if err := os.Remove(dotGit); err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = workspace.RemoveAll(dotGit) // a session made a repository of its own in its place
		if err != nil {
			return err
		}
	}
	return errors.Join(workspace.RemoveAll(p.Top()), changeWorktrees(ctx, home, "prune"))
}

// Open gives you the rights on a worktree that a session took away (chmod 0 .). It follows no link.
func Open(top string) error {
	info, err := os.Lstat(top)
	if err != nil || !info.IsDir() || info.Mode()&0o700 == 0o700 {
		return nil
	}
	return os.Chmod(top, info.Mode().Perm()|0o700)
}

// Remains reports whether the directory or the branch of a worktree is there. Its removal may have been interrupted.
func Remains(ctx context.Context, p Place) (bool, error) {
	if _, err := os.Lstat(p.Top()); !errors.Is(err, fs.ErrNotExist) {
		return true, err
	}
	home, err := p.home()
	if err != nil {
		return false, err
	}
	err = home.Git().Do(ctx, "rev-parse", "--verify", "--quiet", p.ref())
	if failed := (*git.Failed)(nil); errors.As(err, &failed) && failed.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// GitRunsIn reports whether a git command runs in a directory, or cannot be excluded.
func GitRunsIn(dir string) bool {
	all, err := process.WorkingIn(dir)
	return err != nil || slices.ContainsFunc(all, func(one string) bool {
		_, program, _ := strings.Cut(one, " ")
		return strings.HasPrefix(program, "git")
	})
}
