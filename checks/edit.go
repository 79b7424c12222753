package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
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
		edited, err = p.replace(ctx, tree, files)
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

// Mentions calls back with each of the words that a text file of a tree has, and its path.
func (r Repo) Mentions(ctx context.Context, tree string, words []string, f func(path, word string)) error {
	if len(words) == 0 {
		return nil
	}
	return r.compareTrees(ctx, tree, tree, func(p *private) error {
		args := []string{"grep", "-I", "-w", "-o", "-F", "-z"}
		for _, word := range words {
			args = append(args, "-e", word)
		}
		out, err := p.ownGit().Stream(ctx, append(args, tree)...)
		if err != nil {
			return err
		}
		text, _ := io.ReadAll(io.LimitReader(out, mostMentions))
		err = out.Close()
		if failed := (*git.Failed)(nil); errors.As(err, &failed) && failed.Exit == 1 {
			return nil // There is none.
		}
		if err != nil {
			return err
		}
		if len(text) == mostMentions {
			return fmt.Errorf("the text occurs in too many files")
		}
		for line := range strings.Lines(string(text)) {
			file, word, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
			f(strings.TrimPrefix(file, tree+":"), word)
		}
		return nil
	})
}

// mostMentions bounds what is read of mentions, in bytes.
const mostMentions = 8 << 20
