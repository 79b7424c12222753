package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Modes of the entries of a tree.
const (
	ModeFile       = 0o100644
	ModeExecutable = 0o100755
	ModeLink       = 0o120000
	ModeSubmodule  = 0o160000
	modeDirectory  = 0o040000
)

// Format bits of a mode, and the bit that makes a file executable.
const (
	modeFormat = 0o170000
	modeRuns   = 0o000100
)

// TreeEntry is a file, link or submodule in a tree.
type TreeEntry struct {
	Mode uint32 // one of the Mode constants
	ID   string // of the blob, or of the submodule's commit
	Path string // with slashes
}

// Kind returns what the entry is: regular file, link or submodule, as the bits of its mode say.
func (e TreeEntry) Kind() uint32 { return e.Mode & modeFormat }

// Bounds of what a tree may list. A few small trees that name each other several times
// could list any number, at any depth.
const (
	maxEntries = 4 << 20
	maxDepth   = 4096 // what a path can hold: PATH_MAX
)

// Tree lists the files below a tree, by path. Every tree object is hashed, see
// [Objects]. Paths are as they are in the objects: any bytes but NUL, also "..".
func (g Git) Tree(ctx context.Context, id string) ([]TreeEntry, error) {
	if !IsHash(id) {
		return nil, fmt.Errorf("%q is not the name of a tree", id)
	}
	if id == EmptyTreeLike(id) {
		return []TreeEntry{}, nil
	}
	trees, err := g.trees(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("list tree %s: %w", id, err)
	}
	size := trees.measure(id, map[string]treeSize{})
	if size.entries > maxEntries || size.depth > maxDepth {
		return nil, fmt.Errorf("list tree %s: it has more than %d entries or %d levels", id, maxEntries, maxDepth)
	}
	all := trees.appendFiles(make([]TreeEntry, 0, size.entries), id, "")
	slices.SortFunc(all, func(a, b TreeEntry) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

// CommitTree lists the files of a commit, as [Git.Tree] does. The error is [ErrMissing]
// where there is no such object.
func (g Git) CommitTree(ctx context.Context, commit string) ([]TreeEntry, error) {
	tree, err := g.TreeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	return g.Tree(ctx, tree)
}

// TreeOf returns the tree of a commit.
func (g Git) TreeOf(ctx context.Context, commit string) (string, error) {
	text, err := g.Object(ctx, "commit", commit)
	if err != nil {
		return "", err
	}
	return treeOf(text), nil
}

// treeOf returns the tree that a commit names.
func treeOf(commit []byte) string {
	line, _, _ := bytes.Cut(commit, []byte("\n"))
	tree, _ := bytes.CutPrefix(line, []byte("tree "))
	return string(tree)
}

// treeObjects are the entries of trees, by the names of their objects.
type treeObjects map[string][]TreeEntry

// trees reads a tree and those below it, each once.
func (g Git) trees(ctx context.Context, id string) (treeObjects, error) {
	objects, err := g.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	all := treeObjects{}
	for level := []string{id}; len(level) > 0; {
		if err := objects.Ask(level); err != nil {
			return nil, err
		}
		var below []string
		for _, id := range level {
			_, entries, err := objects.readTree(id)
			if err != nil {
				return nil, err
			}
			all[id] = entries
			for _, e := range entries {
				if e.Mode == modeDirectory {
					below = append(below, e.ID)
				}
			}
		}
		slices.Sort(below)
		level = slices.DeleteFunc(slices.Compact(below), func(id string) bool { return all[id] != nil })
	}
	return all, nil
}

// treeSize is how many files and directories are below a tree, and in how many levels.
type treeSize struct{ entries, depth int }

// measure returns the size of a tree, at most one more than the bounds. No tree can be
// below itself: its name is the hash of what it lists.
func (t treeObjects) measure(id string, known map[string]treeSize) (size treeSize) {
	if size, ok := known[id]; ok {
		return size
	}
	for _, e := range t[id] {
		size.entries++
		if e.Mode == modeDirectory {
			below := t.measure(e.ID, known)
			size.entries += below.entries
			size.depth = max(size.depth, below.depth+1)
		}
		size.entries, size.depth = min(size.entries, maxEntries+1), min(size.depth, maxDepth+1)
	}
	known[id] = size
	return size
}

// appendFiles appends what is below a tree, whose path ends with a slash if it has one.
func (t treeObjects) appendFiles(all []TreeEntry, id, path string) []TreeEntry {
	for _, e := range t[id] {
		e.Path = path + e.Path
		if e.Mode == modeDirectory {
			all = t.appendFiles(all, e.ID, e.Path+"/")
		} else {
			all = append(all, e)
		}
	}
	return all
}

// readTree reads the tree that was asked for next: the object, and its entries, which are never nil.
func (o *Objects) readTree(id string) ([]byte, []TreeEntry, error) {
	var content bytes.Buffer
	if err := o.Read(&content, "tree", id); err != nil {
		return nil, nil, err
	}
	entries, err := parseTree(content.Bytes(), len(id)/2)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: tree %s: %w", ErrDamaged, id, err)
	}
	return content.Bytes(), entries, nil
}

// File copies a file of a tree, or what a link leads to.
func (o *Objects) File(to io.Writer, tree, path string) error {
	e := TreeEntry{Mode: modeDirectory, ID: tree}
	for name := range strings.SplitSeq(path, "/") {
		var below []TreeEntry
		err := o.Ask([]string{e.ID})
		if err == nil {
			_, below, err = o.readTree(e.ID)
		}
		if err != nil {
			return err
		}
		at := slices.IndexFunc(below, func(e TreeEntry) bool { return e.Path == name })
		if at < 0 {
			return fmt.Errorf("the tree %s has no file %s", tree, path)
		}
		e = below[at]
	}
	if err := o.Ask([]string{e.ID}); err != nil {
		return err
	}
	return o.Read(to, "blob", e.ID)
}

// parseTree reads a tree object: mode, blank, name, NUL and the raw hash of each entry.
// https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
func parseTree(content []byte, hashBytes int) ([]TreeEntry, error) {
	all := []TreeEntry{}
	for len(content) > 0 {
		head, rest, ok := bytes.Cut(content, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || name == "" || len(rest) < hashBytes {
			return nil, fmt.Errorf("its entry %d is cut short", len(all)+1)
		}
		n, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			return nil, fmt.Errorf("%q has the mode %q", name, mode)
		}
		e := TreeEntry{Mode: canonical(uint32(n)), ID: hex.EncodeToString(rest[:hashBytes]), Path: name}
		if e.Mode == 0 || strings.Contains(name, "/") {
			return nil, fmt.Errorf("%q has the mode %q", name, mode)
		}
		all, content = append(all, e), rest[hashBytes:]
	}
	return all, nil
}

// canonical returns the mode as git writes it today, where older versions wrote others;
// 0 for what no tree can have.
func canonical(mode uint32) uint32 {
	switch format := mode & modeFormat; {
	case format == ModeFile&modeFormat && mode&modeRuns != 0:
		return ModeExecutable
	case format == ModeFile&modeFormat:
		return ModeFile
	case format == ModeLink, format == ModeSubmodule, format == modeDirectory:
		return format
	}
	return 0
}
