package workspace

import (
	"context"
	"fmt"
	"strings"

	"ferrus/checks/git"
)

// list reads the files of a tree.
func list(ctx context.Context, g git.Git, tree string) (entries, error) {
	all, err := g.Tree(ctx, tree)
	if err != nil {
		return nil, err
	}
	files := make(entries, len(all))
	for _, e := range all {
		if !isSafe(e.Path) {
			return nil, fmt.Errorf("the name %q may not be in a tree", e.Path)
		}
		if files[e.Path] != nil {
			return nil, fmt.Errorf("%q is in the tree twice", e.Path)
		}
		files[e.Path] = &entry{mode: e.Mode, id: e.ID}
	}
	for name := range files {
		if below(files, name) {
			return nil, fmt.Errorf("%q is in the tree as a file and as a directory", name)
		}
	}
	return files, nil
}

// isSafe reports whether a path stays below the directory and is not git's own. Trees
// can be written with any name; git itself refuses these when it checks one out.
func isSafe(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		lower := strings.ToLower(name)
		if name == "" || name == "." || name == ".." || lower == ".git" || strings.HasPrefix(lower, "git~") {
			return false
		}
	}
	return true
}
