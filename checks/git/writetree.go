package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"
)

// writeCount bounds the entries of the directories whose trees are written without git. For more than that a process
// of git costs little, and git notes their trees in the index.
const writeCount = 512

// WriteTree writes the trees that the index [Git.Index] makes into the first of [Git.Stores], and returns the name of
// the top one. What the index says of directories that did not change is believed, as git does. The error is
// git's where an object is missing that a changed directory names.
func (g Git) WriteTree(ctx context.Context) (string, error) {
	if g.Index != "" {
		if x, err := readIndex(g.Index, g.Format); err == nil {
			if root, err := g.writeTree(x.entries, x.trees()); err == nil {
				return root.id, nil
			}
		}
	}
	return g.Output(ctx, "write-tree")
}

// writeTree is WriteTree without git, of the entries of an index and what is noted of their directories. It returns
// what can be noted of them now.
func (g Git) writeTree(entries []TreeEntry, known *cachedTree) (*cachedTree, error) {
	if len(g.Stores) == 0 {
		return nil, errAskGit
	}
	w := treeWriter{dir: g.Stores[0], like: EmptyTree(g.Format), stores: stores{dirs: g.Stores}, left: writeCount}
	defer w.stores.close()
	return w.write(entries, 0, known)
}

// treeWriter writes trees.
type treeWriter struct {
	dir    string // where to
	like   string // a name in the format of theirs
	stores stores // where the objects are that they name
	left   int    // entries that may still be written
}

// write writes the tree of a directory: of entries whose paths begin with it, in so many bytes. Every error means: ask
// git.
func (w *treeWriter) write(entries []TreeEntry, prefix int, known *cachedTree) (*cachedTree, error) {
	if id := known.of(len(entries)); w.stores.has(id) {
		return known, nil
	}
	t := &cachedTree{count: len(entries), below: map[string]*cachedTree{}}
	var content bytes.Buffer
	for len(entries) > 0 {
		if w.left--; w.left < 0 {
			return nil, errAskGit
		}
		e, n := entries[0], 1
		name, _, isDirectory := strings.Cut(e.Path[prefix:], "/")
		if isDirectory {
			path := e.Path[:prefix+len(name)+1]
			for n < len(entries) && strings.HasPrefix(entries[n].Path, path) {
				n++
			}
			below, err := w.write(entries[:n], len(path), known.inside(name))
			if err != nil {
				return nil, err
			}
			t.below[name] = below
			e.Mode, e.ID = modeDirectory, below.id
		} else if e.Mode != ModeSubmodule && !w.stores.has(e.ID) {
			return nil, errAskGit
		}
		id, err := hex.DecodeString(e.ID)
		if err != nil || name == "" {
			return nil, errAskGit
		}
		fmt.Fprintf(&content, "%o %s\x00%s", e.Mode, name, id)
		entries = entries[n:]
	}
	t.dirs = len(t.below)
	if t.id = Hash(w.like, "tree", content.Bytes()); w.stores.has(t.id) || t.id == EmptyTreeLike(w.like) {
		return t, nil
	}
	_, err := WriteObject(w.dir, w.like, "tree", content.Bytes())
	return t, err
}
