package checks

import (
	"context"
	"path/filepath"
	"strings"

	"ferrus/checks/regular"
)

// Describe returns the branch and the short commit of the worktree, for display:
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

// ReadHead returns what [Repo.Describe] most likely returns, without running git: the branch
// and seven digits of its commit, or nothing where files of the repository do not say it.
func (r Repo) ReadHead() string {
	l, err := r.locate()
	if err != nil {
		return ""
	}
	head := readLine(filepath.Join(l.Dir, "HEAD"))
	ref, isRef := strings.CutPrefix(head, "ref: ")
	if !isRef {
		return shortCommit(head)
	}
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	commit := shortCommit(readLine(filepath.Join(l.Common, filepath.FromSlash(ref))))
	if !isBranch || commit == "" || !filepath.IsLocal(ref) {
		return "" // packed, or before the first commit
	}
	return branch + " " + commit
}

// readLine returns the only line of a file.
func readLine(name string) string {
	data, err := regular.Read(name, 64<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// shortCommit cuts a commit as git does in a repository of usual size.
func shortCommit(id string) string {
	if len(id) < 40 || strings.Trim(id, "0123456789abcdef") != "" {
		return ""
	}
	return id[:7]
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
