package checks

import (
	"context"
	"path/filepath"
	"strings"
)

// Describe is the branch and the short commit of the worktree, for display:
// "main 3f2c1a9", the commit alone when no branch is checked out, the branch
// alone before the first commit, and nothing where git has no answer.
func (r Repo) Describe(ctx context.Context) string {
	l, err := r.locate()
	if err != nil {
		return ""
	}
	ask := func(args ...string) string {
		out, _ := l.Git().Output(ctx, args...) // What it cannot say is left out.
		return out
	}
	return strings.TrimSpace(ask("symbolic-ref", "--quiet", "--short", "HEAD") + " " +
		ask("rev-parse", "--quiet", "--verify", "--short", "HEAD"))
}

// HeadFiles returns the files that change with what is checked out: by a commit, a checkout
// or a reset. The second is there only once there is a commit.
func (r Repo) HeadFiles() []string {
	l, err := r.locate()
	if err != nil {
		return nil
	}
	return []string{filepath.Join(l.Dir, "HEAD"), filepath.Join(l.Dir, "logs", "HEAD")}
}
