package land

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/hq/worktree"
)

// unmerge undoes what a killed merge did in the checkout that has the branch: git
// writes the files first, then the index, then the branch. When the merge began,
// no file that it writes was changed, so a file with the merge's content, or its
// beginning, is the merge's work; any other is not ours, and stays.
func (l *landing) unmerge(ctx context.Context) error {
	if l.Step != stepForward {
		return nil
	}
	target, out, err := checkedOut(ctx, l.work, l.Ref)
	if err != nil {
		return err
	}
	if !out { // only the branch is ours there
		return l.unlockBranch(ctx, l.work)
	}
	if err := l.unlock(ctx, target); err != nil {
		return err
	}
	names, err := l.work.Git().List(ctx, "diff", "--name-only", "--no-renames", "-z", l.Old, l.Tip, "--")
	if err != nil {
		return err
	}
	dirty, err := status(ctx, target)
	if err != nil {
		return err
	}
	for _, d := range dirty {
		if !slices.Contains(names, d.name) {
			continue
		}
		if err := l.unmergeFile(ctx, target, d); err != nil {
			return err
		}
	}
	return nil
}

// unlock removes the locks of a killed git command that moved a branch and its checkout.
func (l *landing) unlock(ctx context.Context, r git.Repository) error {
	err := l.unlockBranch(ctx, r)
	if err != nil {
		return err
	}
	running := func() (string, error) { return gitIn(r.Top), nil }
	return l.removeLocks(running, indexLock(r), filepath.Join(r.Dir, "HEAD.lock"),
		filepath.Join(r.Dir, "ORIG_HEAD.lock"))
}

// unlockBranch removes the locks of a killed git command that moved a branch: the branch's own, and the one of the
// file that holds many references. Git commands in any worktree take them.
func (l *landing) unlockBranch(ctx context.Context, r git.Repository) error {
	locks := []string{filepath.Join(r.Common, "packed-refs.lock")}
	if strings.HasPrefix(l.Ref, "refs/heads/") {
		locks = append(locks, filepath.Join(r.Common, filepath.FromSlash(l.Ref)+".lock"))
	}
	return l.removeLocks(func() (string, error) {
		text, err := r.Places().Output(ctx, "worktree", "list", "--porcelain")
		for line := range strings.Lines(text) {
			if dir, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "worktree "); ok && gitIn(dir) != "" {
				return dir, nil
			}
		}
		return "", err
	}, locks...)
}

// gitIn returns a directory if a git command runs in it, or cannot be excluded, and else nothing.
func gitIn(dir string) string {
	if worktree.GitRunsIn(dir) {
		return dir
	}
	return ""
}

// removeLocks removes the locks that exist. Running names a directory in which a git command is running
// that may own them; empty: there is none.
func (l *landing) removeLocks(running func() (string, error), locks ...string) error {
	for _, lock := range locks {
		if !isThere(lock) {
			continue
		}
		dir, err := running()
		switch {
		case err != nil:
			return err
		case dir != "":
			return refuse("wait for it to end, or stop it",
				"a git command is running in %s and may have locked %s", dir, lock)
		case l.stopped():
			return errStopped
		}
		if err := os.Remove(lock); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// indexLock returns the file with which a git command locks the index.
func indexLock(r git.Repository) string { return filepath.Join(r.Dir, "index.lock") }

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return !errors.Is(err, fs.ErrNotExist)
}

// unmergeFile restores one file and its entry in the index.
func (l *landing) unmergeFile(ctx context.Context, target git.Repository, d entry) error {
	old, tip := blob(ctx, target, l.Old+":"+d.name), blob(ctx, target, l.Tip+":"+d.name)
	if d.staged != ' ' && d.staged != '?' && blob(ctx, target, ":0:"+d.name) == tip {
		if err := l.git(ctx, target, "reset", "--quiet", l.Old, "--", d.name); err != nil {
			return err
		}
	}
	ours, err := l.written(ctx, target, d.name, tip)
	if err != nil || !ours {
		return err
	}
	if old != "" {
		return l.git(ctx, target, "checkout", "--quiet", "--force", l.Old, "--", d.name)
	}
	if l.stopped() {
		return errStopped
	}
	if err := regular.Remove(target.Top, d.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := path.Dir(d.name)
	for ; dir != "." && regular.Remove(target.Top, dir) == nil; dir = path.Dir(dir) { // as git does
	}
	return nil
}

// blob returns the object of a name in a commit or the index; empty when there is none.
func blob(ctx context.Context, r git.Repository, name string) string {
	id, err := gitLine(ctx, r, "rev-parse", "--verify", "--quiet", name)
	if err != nil {
		return ""
	}
	return id
}

// written reports whether a file is as the merge writes it: gone, complete, or
// its beginning.
func (l *landing) written(ctx context.Context, target git.Repository, name, tip string) (bool, error) {
	file := filepath.Join(target.Top, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || tip == "" {
		return false, err
	}
	var have []byte
	switch {
	case info.Mode().IsRegular():
		have, err = regular.Read(file, math.MaxInt32)
	case info.Mode().Type() == fs.ModeSymlink:
		var to string
		to, err = os.Readlink(file)
		have = []byte(to)
	default:
		return false, nil
	}
	if err != nil {
		return false, err
	}
	want, _, err := target.Git().Run(ctx, nil, "cat-file", "--filters", "--path="+name, tip)
	return bytes.HasPrefix([]byte(want), have), err
}
