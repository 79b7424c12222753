package session

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
)

// gitOfSubmodules returns what a session must not change in the submodules of a worktree: the .git of each, or the
// directory of one that is not checked out. Your git obeys the configuration that it finds there when you ask it about
// the worktree around it.
func gitOfSubmodules(ctx context.Context, r git.Repository) (all []string) {
	const most = 500
	for tops := []string{""}; len(tops) > 0 && len(all) < most; tops = tops[1:] {
		for _, path := range submodules(ctx, r, tops[0]) {
			if !isRealDir(r.Top, path) {
				continue
			}
			at := filepath.Join(r.Top, path, ".git")
			if !exists(at) {
				at = filepath.Join(r.Top, path)
			}
			all, tops = append(all, at), append(tops, path)
		}
	}
	return all
}

// submodules returns where the submodules are that a directory of a worktree lists, relative to the worktree.
func submodules(ctx context.Context, r git.Repository, dir string) (all []string) {
	list := filepath.Join(r.Top, dir, ".gitmodules")
	if info, err := os.Lstat(list); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	// What git cannot read has no submodules for you either.
	entries, _ := r.Git().List(ctx, "config", "--file", list, "-z", "--get-regexp", `^submodule\..*\.path$`)
	for _, entry := range entries {
		if _, below, _ := strings.Cut(entry, "\n"); filepath.IsLocal(below) {
			all = append(all, filepath.Join(dir, below))
		}
	}
	return all
}

// isRealDir reports whether a path below a directory leads to a directory, by no link.
func isRealDir(top, below string) bool {
	root, err := os.OpenRoot(top)
	if err != nil {
		return false
	}
	defer root.Close()
	for dir := below; dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || info.Mode().Type() != fs.ModeDir {
			return false
		}
	}
	return below != "."
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
