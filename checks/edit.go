package checks

import (
	"bytes"
	"context"
	"strings"

	"ferrus/checks/git"
)

// Edit is a file that a tree is to have, or not to have.
type Edit struct {
	Path string
	// Mode and name; no mode: the tree does not have the file. Content, unless nil,
	// replaces the file's content.
	Mode    uint32
	ID      string
	Content []byte
}

// Edit returns a tree with some files changed. It is an object of ferrus's own.
func (r Repo) Edit(ctx context.Context, tree string, edits []Edit) (edited string, err error) {
	err = r.compareTrees(ctx, tree, tree, func(p *private) error {
		var files []git.TreeEntry
		for _, e := range edits {
			entry := git.TreeEntry{Mode: e.Mode, ID: e.ID, Path: e.Path}
			if e.Mode == 0 {
				entry.ID = strings.Repeat("0", len(tree))
			} else if e.Content != nil {
				id, _, err := p.ownGit().Run(ctx, bytes.NewReader(e.Content), "hash-object", "-w",
					"--no-filters", "--stdin")
				if err != nil {
					return err
				}
				entry.ID = strings.TrimSpace(id)
			}
			files = append(files, entry)
		}
		edited, err = p.ownGit().EditTree(ctx, tree, files)
		return err
	})
	return edited, err
}

// List lists the files of a tree.
func (r Repo) List(ctx context.Context, tree string) (all []git.TreeEntry, err error) {
	err = r.compareTrees(ctx, tree, tree, func(p *private) error {
		all, err = p.ownGit().Tree(ctx, tree)
		return err
	})
	return all, err
}
