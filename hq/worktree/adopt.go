package worktree

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"ferrus/checks/git"
)

// AdoptedRefs keep the snapshots that no worktree has yet: refs/ferrus/adopted/<snapshot>.
const AdoptedRefs = "refs/ferrus/adopted/"

// adopter is the author of snapshots. They are never published.
var adopter = []string{"GIT_AUTHOR_NAME=ferrus", "GIT_AUTHOR_EMAIL=ferrus@localhost", "GIT_COMMITTER_NAME=ferrus",
	"GIT_COMMITTER_EMAIL=ferrus@localhost"}

// Shared returns git in the repository of a worktree that also sees the objects of another
// repository.
func Shared(r, with git.Repository) git.Git {
	return r.Git().With("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects(with))
}

// objects returns the directory of a repository's objects as a list of git's has it.
func objects(r git.Repository) string {
	dir := filepath.Join(r.Common, "objects")
	if strings.ContainsAny(dir, `:"`) {
		return strconv.Quote(dir)
	}
	return dir
}

// Snapshot writes everything in a worktree of any repository that git does not ignore into the objects of
// home's, and returns a commit of all files. Its first parent is what is checked out there, its second a
// commit of the index. [AdoptedRefs] keeps it. Nothing of the worktree, its index or its repository changes.
// Known is a commit that home has, below which nothing is copied; empty: everything is.
func Snapshot(ctx context.Context, home, r git.Repository, known string) (string, error) {
	g, remove, err := Index(r)
	if err != nil {
		return "", err
	}
	defer remove()
	g = g.With(adopter...)
	if r.Common != home.Common {
		g = g.With("GIT_OBJECT_DIRECTORY="+filepath.Join(home.Common, "objects"),
			"GIT_ALTERNATE_OBJECT_DIRECTORIES="+objects(r))
	}
	staged, err := g.Output(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	files, err := addAll(ctx, r, g)
	if err != nil {
		return "", err
	}
	commit := func(tree, words string, parents ...string) (string, error) {
		args := []string{"commit-tree", "--no-gpg-sign", tree, "-m", words}
		for _, parent := range parents {
			args = append(args, "-p", parent)
		}
		return g.Output(ctx, args...)
	}
	index, err := commit(staged, "the index as the task started", "HEAD")
	if err != nil {
		return "", err
	}
	made, err := commit(files, "all files as the task started", "HEAD", index)
	if err == nil && r.Common != home.Common {
		err = fetch(ctx, home, g, made, known)
	}
	if err == nil {
		err = home.Git().Do(ctx, "update-ref", AdoptedRefs+made, made)
	}
	return made, err
}

// fetch copies the objects of a commit that are in another repository only.
func fetch(ctx context.Context, home git.Repository, from git.Git, commit, known string) error {
	revisions := commit + "\n"
	if known != "" {
		revisions += "^" + known + "\n"
	}
	pack, _, err := from.Run(ctx, strings.NewReader(revisions), "pack-objects", "--revs", "--stdout", "--quiet")
	if err == nil {
		_, _, err = home.Git().Run(ctx, strings.NewReader(pack), "index-pack", "--stdin", "--strict")
	}
	return err
}

// fill writes the files of a new worktree: of its commit, or of a snapshot, whose index it gets as well.
func fill(ctx context.Context, made git.Repository, snapshot string) error {
	if snapshot == "" {
		return made.Git().Do(ctx, "read-tree", "--reset", "-u", "HEAD")
	}
	if err := made.Git().Do(ctx, "read-tree", "--reset", "-u", snapshot); err != nil {
		return err
	}
	if err := made.Git().Do(ctx, "read-tree", snapshot+"^2^{tree}"); err != nil {
		return err
	}
	_ = made.Git().Do(ctx, "update-index", "-q", "--refresh") // it fails where a file is changed
	return ctx.Err()
}

// FreeAdopted forgets a snapshot that a worktree has by now, or that nothing needs any more.
func FreeAdopted(ctx context.Context, home git.Repository, snapshot string) error {
	return home.Git().Do(ctx, "update-ref", "-d", AdoptedRefs+snapshot)
}
