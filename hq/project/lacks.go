package project

import (
	"context"
	"sync"

	"ferrus/checks/git"
)

// ancestry is what git said of pairs of commits, by both names: it never says anything else of them.
var ancestry sync.Map

// HeadLacks reports whether work that landed on a branch would be missing in a worktree that is made now: another
// branch is checked out in the project, and does not have the commit either. What git cannot tell is not missing.
func (p *Project) HeadLacks(ctx context.Context, branch, commit string) bool {
	home, err := git.Locate(p.Dir)
	if err != nil || !git.IsHash(commit) || home.Branch() == branch {
		return false
	}
	_, head, _, err := home.Present(ctx)
	if err != nil || head == "" || head == commit {
		return false
	}
	pair := commit + head
	if lacks, ok := ancestry.Load(pair); ok {
		return lacks.(bool)
	}
	has, err := home.IsAncestor(ctx, commit, head)
	if err != nil {
		return false
	}
	ancestry.Store(pair, !has)
	return !has
}
