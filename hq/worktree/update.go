package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks/git"
)

// Update makes the files of a worktree those of a tree that its repository has: it changes, adds
// and removes what differs. What git ignores stays, and so do the index and what is checked out.
// It returns the tree that the worktree had before. A tree with a .ferrus in it is refused.
func Update(ctx context.Context, r git.Repository, tree string) (before string, err error) {
	if err := refuseRecord(ctx, r, tree); err != nil {
		return "", err
	}
	g, remove, err := Index(r)
	if err != nil {
		return "", err
	}
	defer remove()
	if before, err = addAll(ctx, r, g); err != nil || before == tree {
		return before, err
	}
	if err := g.Do(ctx, "read-tree", "-m", "-u", before, tree); err != nil {
		return before, fmt.Errorf("bring the worktree to %.12s: %w", tree, err)
	}
	return before, nil
}

// refuseRecord refuses a tree that would write a record of ferrus.
func refuseRecord(ctx context.Context, r git.Repository, tree string) error {
	names, err := r.Git().List(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
			return strings.EqualFold(part, ".ferrus") || strings.EqualFold(part, ".git")
		}) {
			return fmt.Errorf("the tree %.12s has %q, which no work may have", tree, name)
		}
	}
	return nil
}

// MakeAt makes a worktree whose branch is at a commit of the repository, whatever the project has
// checked out. An existing worktree gets the commit and keeps its files.
func MakeAt(ctx context.Context, p Place, commit string) (git.Repository, error) {
	if err := p.check(); err != nil {
		return git.Repository{}, err
	}
	home, err := git.Locate(p.Project)
	if err != nil {
		return git.Repository{}, err
	}
	if r, err := home.Worktree(p.Top()); err == nil {
		return r, r.Git().Do(ctx, "reset", "--quiet", "--mixed", commit)
	}
	if err := Discard(ctx, p); err != nil { // half of one may be there
		return git.Repository{}, err
	}
	if err := changeWorktrees(ctx, home, "add", "--no-checkout", "--quiet", "--no-track", "-B", p.Branch(), "--",
		p.Top(), commit); err != nil {
		return git.Repository{}, err
	}
	r, err := home.Worktree(p.Top())
	if err == nil {
		err = fill(ctx, r, "")
	}
	return r, err
}
