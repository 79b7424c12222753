package checks

import (
	"bytes"
	"context"
	"slices"
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

// Mentions calls back with each of the words that a text file of a tree has, and its path.
func (r Repo) Mentions(ctx context.Context, tree string, words []string, f func(path, word string)) error {
	if len(words) == 0 {
		return nil
	}
	return r.compareTrees(ctx, tree, tree, func(p *private) error {
		files, err := p.ownGit().Tree(ctx, tree)
		if err != nil {
			return err
		}
		files = slices.DeleteFunc(files, func(e git.TreeEntry) bool { return !isFileMode(e.Mode) })
		objects, err := p.ownGit().Objects(ctx)
		if err != nil {
			return err
		}
		defer objects.Close()
		ids := make([]string, len(files))
		for i, e := range files {
			ids[i] = e.ID
		}
		if err := objects.Ask(ids); err != nil {
			return err
		}
		var text bytes.Buffer
		for _, e := range files {
			text.Reset()
			if err := objects.Read(&text, "blob", e.ID); err != nil {
				return err
			}
			if isBinary(text.Bytes()) {
				continue
			}
			for _, word := range words {
				if hasWord(text.Bytes(), []byte(word)) {
					f(e.Path, word)
				}
			}
		}
		return nil
	})
}

// isBinary reports what git takes for binary.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

// hasWord reports whether a text has a word that is not a part of a longer one.
func hasWord(text, word []byte) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		if (at == 0 || !isWordByte(text[at-1])) && (end == len(text) || !isWordByte(text[end])) {
			return true
		}
		from = at + 1
	}
}

func isWordByte(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
