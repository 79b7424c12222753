package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EditTree returns a tree with other files under some of its names, written into the first of [Git.Stores]; an entry
// without a mode removes a file. Each tree that it reads is compared with its name, which git does not do.
func (g Git) EditTree(ctx context.Context, tree string, files []TreeEntry) (string, error) {
	objects, err := g.Objects(ctx)
	if err != nil {
		return "", err
	}
	defer objects.Close()
	e := treeEditor{dir: g.Stores[0], like: tree, diff: treeDiff{objects: objects}}
	id, err := e.edit(tree, files, 0)
	if err != nil {
		return "", fmt.Errorf("edit tree %s: %w", tree, err)
	}
	return cmp.Or(id, EmptyTreeLike(tree)), nil
}

type treeEditor struct {
	dir  string // where to write
	like string // a name in the format of theirs
	diff treeDiff
}

// edit edits the tree of a directory, of which the first bytes of each path are the name. The result is empty where no
// file is left.
func (t *treeEditor) edit(tree string, files []TreeEntry, prefix int) (string, error) {
	entries, err := t.diff.entries(tree)
	if err != nil {
		return "", err
	}
	all := map[string]TreeEntry{}
	for _, e := range entries {
		all[e.Path] = e
	}
	here, below := map[string]TreeEntry{}, map[string][]TreeEntry{}
	for _, e := range files {
		name, _, isBelow := strings.Cut(e.Path[prefix:], "/")
		if isBelow {
			below[name] = append(below[name], e)
		} else {
			here[name] = e
		}
	}
	for name, e := range here { // A file that goes can leave its name to a directory.
		if e.Mode == 0 && all[name].Mode != modeDirectory {
			delete(all, name)
		}
	}
	for name, edits := range below {
		if err := t.editBelow(all, name, edits, prefix); err != nil {
			return "", err
		}
	}
	for name, e := range here {
		if e.Mode != 0 {
			all[name] = e
		}
	}
	return t.write(all)
}

// editBelow edits a directory in the tree of another one.
func (t *treeEditor) editBelow(all map[string]TreeEntry, name string, edits []TreeEntry, prefix int) error {
	old := all[name]
	if old.Mode != modeDirectory {
		edits = slices.DeleteFunc(edits, func(e TreeEntry) bool { return e.Mode == 0 })
		old.ID = ""
	}
	if len(edits) == 0 {
		return nil
	}
	id, err := t.edit(old.ID, edits, prefix+len(name)+1)
	if id == "" {
		delete(all, name)
	} else {
		all[name] = TreeEntry{Mode: modeDirectory, ID: id}
	}
	return err
}

// write writes a tree. Git sorts directories as if their names ended in a slash.
func (t *treeEditor) write(all map[string]TreeEntry) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	key := func(name string) string {
		if all[name].Mode == modeDirectory {
			name += "/"
		}
		return name
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(key(a), key(b)) })
	var content bytes.Buffer
	for _, name := range names {
		id, err := hex.DecodeString(all[name].ID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&content, "%o %s\x00%s", all[name].Mode, name, id)
	}
	return WriteObject(t.dir, t.like, "tree", content.Bytes())
}

// Added returns the names of the files and trees that a tree has and another one, base, has not; empty: there is none.
// Each tree is compared with its name.
func (g Git) Added(ctx context.Context, base, tree string) ([]string, error) {
	after, err := g.trees(ctx, tree)
	if err != nil {
		return nil, err
	}
	before := treeObjects{}
	if base != "" {
		if before, err = g.trees(ctx, base); err != nil {
			return nil, err
		}
	}
	all := after.names()
	for id := range before.names() {
		delete(all, id)
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// names returns the names of trees and of the files in them.
func (t treeObjects) names() map[string]bool {
	all := map[string]bool{}
	for id, entries := range t {
		all[id] = true
		for _, e := range entries {
			if e.Mode != ModeSubmodule {
				all[e.ID] = true
			}
		}
	}
	return all
}
