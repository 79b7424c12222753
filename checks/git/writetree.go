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
	if id, err := g.writeTree(); err == nil {
		return id, nil
	}
	return g.Output(ctx, "write-tree")
}

// writeTree is WriteTree without git.
func (g Git) writeTree() (string, error) {
	if g.Index == "" || len(g.Stores) == 0 {
		return "", errAskGit
	}
	x, err := readIndex(g.Index, g.Format)
	if err != nil {
		return "", err
	}
	w := treeWriter{dir: g.Stores[0], like: EmptyTree(g.Format), stores: stores{dirs: g.Stores}, left: writeCount}
	defer w.stores.close()
	_, root, _ := readCachedTree(x.cached, x.size, 0)
	return w.write(x.entries, 0, root)
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
func (w *treeWriter) write(entries []TreeEntry, prefix int, known *cachedTree) (string, error) {
	if id := known.of(len(entries)); w.stores.has(id) {
		return id, nil
	}
	var content bytes.Buffer
	for len(entries) > 0 {
		if w.left--; w.left < 0 {
			return "", errAskGit
		}
		e, n := entries[0], 1
		name, _, isDirectory := strings.Cut(e.Path[prefix:], "/")
		if isDirectory {
			path := e.Path[:prefix+len(name)+1]
			for n < len(entries) && strings.HasPrefix(entries[n].Path, path) {
				n++
			}
			id, err := w.write(entries[:n], len(path), known.inside(name))
			if err != nil {
				return "", err
			}
			e.Mode, e.ID = modeDirectory, id
		} else if e.Mode != ModeSubmodule && !w.stores.has(e.ID) {
			return "", errAskGit
		}
		id, err := hex.DecodeString(e.ID)
		if err != nil || name == "" {
			return "", errAskGit
		}
		fmt.Fprintf(&content, "%o %s\x00%s", e.Mode, name, id)
		entries = entries[n:]
	}
	if id := Hash(w.like, "tree", content.Bytes()); w.stores.has(id) || id == EmptyTreeLike(w.like) {
		return id, nil
	}
	return WriteObject(w.dir, w.like, "tree", content.Bytes())
}
