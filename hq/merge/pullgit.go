package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ferrus/checks/git"
	"ferrus/hq/forge"
	"ferrus/hq/queue"
	"ferrus/ui/text"
)

// placeOf returns where the pull request of a task is: on the remote that the branch follows, else origin, else the
// only one.
func (m *Merger) placeOf(ctx context.Context, task, target string) (p queue.PullPlace, err error) {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return p, err
	}
	names, err := home.Git().Output(ctx, "remote")
	if err != nil {
		return p, err
	}
	all := strings.Fields(names)
	followed, set, err := home.Setting("branch." + target + ".remote")
	if err != nil {
		return p, err
	}
	p = queue.PullPlace{Base: target, Branch: "ferrus/" + task}
	switch {
	case set && slices.Contains(all, followed):
		p.Remote = followed
		if base, set, err := home.Setting("branch." + target + ".merge"); err != nil {
			return p, err
		} else if set {
			p.Base = strings.TrimPrefix(base, "refs/heads/")
		}
	case slices.Contains(all, "origin"):
		p.Remote = "origin"
	case len(all) == 1:
		p.Remote = all[0]
	default:
		return p, &forge.Error{Doing: "find the remote of " + target,
			Err: fmt.Errorf("there are %d, and none is origin", len(all)),
			Fix: "add one: git remote add origin, or git branch --set-upstream-to"}
	}
	return p, nil
}

// fetch fetches the branch that pull requests go into, and returns the commit that it is at.
func (m *Merger) fetch(ctx context.Context, p queue.PullPlace, target string) (string, error) {
	return m.fetchTo(ctx, p.Remote, p.Base, queue.FetchedRef(target), target)
}

func (m *Merger) fetchTo(ctx context.Context, remote, branch, ref, target string) (string, error) {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, forge.Timeout)
	defer cancel()
	if _, err := m.remoteGit(ctx, home, target, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--refmap=", remote, "+refs/heads/"+branch+":"+ref); err != nil {
		return "", fmt.Errorf("fetch %s of %s: %w", branch, remote, err)
	}
	return home.Git().Output(ctx, "rev-parse", "--verify", ref+"^{commit}")
}

// remoteHead returns the commit that a branch of a remote is at; empty: it has none.
func (m *Merger) remoteHead(ctx context.Context, remote, branch, target string) (string, error) {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, forge.Timeout)
	defer cancel()
	out, err := m.remoteGit(ctx, home, target, "ls-remote", "--heads", remote, "refs/heads/"+branch)
	if err != nil {
		return "", fmt.Errorf("read %s of %s: %w", branch, remote, err)
	}
	at, _, _ := strings.Cut(out, "\t")
	return at, nil
}

// branchHas reports whether your own branch has a commit.
func (m *Merger) branchHas(ctx context.Context, branch, commit string) (bool, error) {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return false, err
	}
	head, err := home.Git().Output(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch+"^{commit}")
	if failed := (*git.Failed)(nil); errors.As(err, &failed) && failed.Exit == 1 {
		return false, nil // you deleted it
	}
	if err != nil {
		return false, err
	}
	return m.isOn(ctx, commit, head)
}

// isOn reports whether git has a commit below another one. One that it does not have is on none.
func (m *Merger) isOn(ctx context.Context, commit, head string) (bool, error) {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return false, err
	}
	if !git.IsHash(commit) || home.Git().Do(ctx, "cat-file", "-e", commit+"^{commit}") != nil {
		return false, ctx.Err()
	}
	return home.IsAncestor(ctx, commit, head)
}

// remoteGit runs a git that talks to a remote. An error has what git said first: what follows is advice.
func (m *Merger) remoteGit(ctx context.Context, home git.Repository, target string, args ...string) (string, error) {
	g := home.Git()
	g.Keep = m.lockFiles(target)
	out, words, err := g.Run(ctx, nil, args...)
	if failed := (*git.Failed)(nil); errors.As(err, &failed) {
		for line := range strings.Lines(words) {
			line = strings.TrimSpace(text.Sanitize(line))
			if begin, _, _ := strings.Cut(line, ":"); begin == "fatal" || begin == "error" || begin == "remote" ||
				strings.HasPrefix(line, "! [") {
				return "", errors.New(text.CutBytes(line, maxGitWords))
			}
		}
	}
	return strings.TrimSpace(out), err
}

// maxGitWords bounds what is repeated of git's words.
const maxGitWords = 300

// pushLimit bounds a push.
const pushLimit = 5 * time.Minute

// pushTo has a branch of a remote at a commit, if it is where it is believed to be.
func (m *Merger) pushTo(ctx context.Context, p queue.PullPlace, target, commit, have string) error {
	home, err := git.Locate(m.project.Dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pushLimit)
	defer cancel()
	if _, err := m.remoteGit(ctx, home, target, "push", "--quiet", "--no-verify",
		"--force-with-lease=refs/heads/"+p.Branch+":"+have, p.Remote, commit+":refs/heads/"+p.Branch); err != nil {
		return fmt.Errorf("push %s to %s: %w", p.Branch, p.Remote, err)
	}
	return nil
}
