package checks

import (
	"context"
	"os/exec"
	"strings"
)

// Describe is the branch and the short commit of the work tree, for people:
// "main 3f2c1a9", the commit alone when no branch is checked out, the branch
// alone before the first commit, and nothing where git has no answer.
func (r Repo) Describe(ctx context.Context) string {
	ask := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.Workspace}, args...)...)
		cmd.Env = cleanEnvironment()
		out, err := cmd.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	return strings.TrimSpace(ask("symbolic-ref", "--quiet", "--short", "HEAD") + " " + ask("rev-parse", "--quiet", "--verify", "--short", "HEAD"))
}
