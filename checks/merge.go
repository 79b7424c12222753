package checks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks/git"
)

// Merge is what became of two changes of one tree.
type Merge struct {
	Tree      string   // of both; with conflict markers where they do not fit
	Conflicts []string // files that do not fit; none: both changes are in the tree
	Hunks     string   // of those files, as they differ from the branch; none without conflicts
}

// Merge applies what theirs changed of base to ours. All three are trees as git stores them.
// It is done in ferrus's own git directory, without a worktree: neither attributes,
// drivers and settings of a repository nor the history of a branch have a say in it.
func (r Repo) Merge(ctx context.Context, base, ours, theirs string) (m Merge, err error) {
	p, err := r.open(ctx)
	if err != nil {
		return m, fmt.Errorf("merge: %w", err)
	}
	defer p.close()
	if m, err = p.merge(ctx, base, ours, theirs); err != nil {
		return m, fmt.Errorf("merge: %w", err)
	}
	if len(m.Conflicts) > 0 {
		m.Hunks, err = p.hunks(ctx, ours, m)
	}
	return m, err
}

func (p *private) hunks(ctx context.Context, ours string, m Merge) (string, error) {
	g, remove, err := p.treesGit(ctx, ours, m.Tree)
	if err != nil {
		return "", err
	}
	defer remove()
	return g.Output(ctx, append([]string{"diff-tree", "-p", "--no-ext-diff", "--no-textconv", "--no-renames", ours,
		m.Tree, "--"}, m.Conflicts...)...)
}

// The names of the sides, as conflict markers have them.
const (
	oursRef   = "refs/heads/branch"
	theirsRef = "refs/heads/work"
)

func (p *private) merge(ctx context.Context, base, ours, theirs string) (m Merge, err error) {
	g, remove, err := p.treesGit(ctx, base, ours, theirs)
	if err != nil {
		return m, err
	}
	defer remove()
	first, err := sideCommit(g.Stores[0], base, "")
	if err != nil {
		return m, err
	}
	for ref, tree := range map[string]string{oursRef: ours, theirsRef: theirs} {
		id, err := sideCommit(g.Stores[0], tree, first)
		if err == nil {
			g.Files[ref] = id + "\n"
		}
		if err != nil {
			return m, err
		}
	}
	parts, err := g.List(ctx, "-c", "merge.conflictStyle=diff3", "-c", "merge.directoryRenames=false",
		"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages",
		strings.TrimPrefix(oursRef, "refs/heads/"), strings.TrimPrefix(theirsRef, "refs/heads/"))
	if failed := (*git.Failed)(nil); errors.As(err, &failed) && failed.Exit == 1 && len(parts) > 1 {
		err = nil
	}
	if err != nil {
		return m, err
	}
	if len(parts) == 0 || !git.IsHash(parts[0]) {
		return m, errors.New("git merge-tree returned no tree")
	}
	// What git has written are loose objects; the others are in a pack, and from where they are looked for anyway.
	return Merge{Tree: parts[0], Conflicts: parts[1:]}, git.CopyLoose(g.Stores[0], p.file("objects"))
}

// sideCommit writes a commit of a tree for merge-tree, which takes nothing else before
// git 2.40. It is in no history.
func sideCommit(objects, tree, parent string) (string, error) {
	text := "tree " + tree + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	text += "author ferrus <ferrus@localhost> 0 +0000\ncommitter ferrus <ferrus@localhost> 0 +0000\n\n"
	return git.WriteObject(objects, tree, "commit", []byte(text))
}
