package land

import (
	"context"
	"path"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
)

// unionBytes bounds the files that are merged by union.
const unionBytes = 1 << 20

// union merges the conflicts of a change by keeping the lines of both sides, as git merge-file --union
// does, where every file in conflict matches one of the patterns. It returns no tree where one does not,
// or is not a text file on all sides.
func union(ctx context.Context, repo checks.Repo, c Change, below string, m checks.Merge) (tree string, err error) {
	var edits []checks.Edit
	for _, name := range m.Conflicts {
		if !slices.ContainsFunc(c.Union, func(p string) bool { return matches(p, name) }) {
			return "", nil
		}
		var sides [3]string
		mode := uint32(0)
		for i, tree := range []string{below, c.Base, c.Work} { // in the order of git merge-file
			entries, err := repo.List(ctx, tree)
			if err != nil {
				return "", err
			}
			at := slices.IndexFunc(entries, func(e git.TreeEntry) bool { return e.Path == name })
			switch {
			case at < 0 && i == 1: // both added it
				continue
			case at < 0 || entries[at].Mode != git.ModeFile && entries[at].Mode != git.ModeExecutable:
				return "", nil
			case i == 0:
				mode = entries[at].Mode
			}
			if sides[i], err = repo.Content(ctx, tree, name, unionBytes+1); err != nil {
				return "", err
			}
			if len(sides[i]) > unionBytes || strings.ContainsRune(sides[i], 0) {
				return "", nil
			}
		}
		text, err := repo.Union(ctx, sides)
		if err != nil {
			return "", err
		}
		edits = append(edits, checks.Edit{Path: name, Mode: mode, Content: []byte(text)})
	}
	return repo.Edit(ctx, m.Tree, edits)
}

// matches reports whether a pattern matches a file: its path or, without a slash, its name.
func matches(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
