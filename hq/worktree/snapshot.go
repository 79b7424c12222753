package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// Everything is the pathspec of all files in a worktree, except .ferrus.
var Everything = []string{"--", ":(top)", ":(top,exclude,glob)**/[.]ferrus/**"}

// Index returns a git that uses a copy of a worktree's index, for commands that must not
// change the index itself, and a function that removes the copy.
func Index(r git.Repository) (g git.Git, remove func(), err error) {
	dir, err := os.MkdirTemp("", "ferrus-index-")
	if err != nil {
		return g, nil, fmt.Errorf("copy the index: %w", err)
	}
	remove = func() { os.RemoveAll(dir) }
	name := filepath.Join(dir, "index")
	data, err := regular.Read(filepath.Join(r.Dir, "index"), math.MaxInt32)
	if err == nil {
		err = os.WriteFile(name, data, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		remove()
		return g, nil, fmt.Errorf("copy the index: %w", err)
	}
	return r.Git().With("GIT_INDEX_FILE=" + name), remove, nil
}

// Tree writes all files of a worktree that git does not ignore as a tree object, and
// returns its hash. The index does not change.
func Tree(ctx context.Context, r git.Repository) (string, error) {
	g, remove, err := Index(r)
	if err != nil {
		return "", err
	}
	defer remove()
	return addAll(ctx, r, g)
}

// addAll adds all files of a worktree to the index that a git uses, and writes it as a tree.
func addAll(ctx context.Context, r git.Repository, g git.Git) (string, error) {
	if err := g.ForgetSubmodules(ctx, r.Top); err != nil {
		return "", err
	}
	if err := g.Do(ctx, append([]string{"-c", "advice.addEmbeddedRepo=false", "add", "--all"},
		Everything...)...); err != nil {
		return "", err
	}
	return g.Output(ctx, "write-tree")
}

// Commit makes a commit of a tree and returns its hash. No branch has it yet.
func Commit(ctx context.Context, r git.Repository, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", tree}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	out, _, err := r.Git().Run(ctx, strings.NewReader(message), append(args, "-F", "-")...)
	return strings.TrimSpace(out), err
}

// ErrNoIdentity reports that git does not know the author of a commit.
var ErrNoIdentity = errors.New(`git does not know who you are; run: git config user.name "Your Name"; ` +
	"git config user.email you@example.com")

// CheckIdentity returns ErrNoIdentity if git could not make a commit.
func CheckIdentity(ctx context.Context, r git.Repository) error {
	if err := r.Git().Do(ctx, "var", "GIT_COMMITTER_IDENT"); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return ErrNoIdentity
	}
	return nil
}

// snapshot returns a commit of a checkout with its uncommitted changes; head itself if
// there are none.
func snapshot(ctx context.Context, r git.Repository, head string) (string, error) {
	tree, err := Tree(ctx, r)
	if err != nil {
		return "", err
	}
	have, err := r.Git().Output(ctx, "rev-parse", "--verify", "--quiet", head+"^{tree}")
	if err != nil || have == tree {
		return head, err
	}
	if err := CheckIdentity(ctx, r); err != nil {
		return "", err
	}
	return Commit(ctx, r, tree, "uncommitted changes as the task started\n", head)
}
