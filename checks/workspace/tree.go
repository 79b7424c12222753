package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ferrus/checks/git"
)

// list returns the files of a tree, with those of its submodules.
func list(ctx context.Context, g git.Git, all []git.TreeEntry) (entries, error) {
	files := make(entries, len(all))
	if err := files.add(ctx, g, "", all); err != nil {
		return nil, err
	}
	for name := range files {
		if below(files, name) {
			return nil, fmt.Errorf("%q is in the tree as a file and as a directory", name)
		}
	}
	return files, nil
}

// add adds what is below a path that is empty or ends with a slash. A submodule whose
// commit is among the objects is replaced by its files; another one stays a name.
func (f entries) add(ctx context.Context, g git.Git, path string, all []git.TreeEntry) error {
	for _, e := range all {
		name := path + e.Path
		if !isSafe(e.Path) {
			return fmt.Errorf("the name %q may not be in a tree", name)
		}
		if f[name] != nil {
			return fmt.Errorf("%q is in the tree twice", name)
		}
		if e.Mode == git.ModeSubmodule {
			files, err := g.CommitTree(ctx, e.ID)
			if err == nil {
				err = f.add(ctx, g, name+"/", files)
			}
			if err == nil && len(files) > 0 {
				continue
			}
			if err != nil && !errors.Is(err, git.ErrMissing) {
				return fmt.Errorf("read the submodule %s: %w", name, err)
			}
		}
		f[name] = &entry{mode: e.Mode, id: e.ID}
	}
	return nil
}

// isSafe reports whether a path stays below the directory and is not git's own, here or on another system. Trees
// can be written with any name; git itself refuses these when it checks one out.
func isSafe(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		plain := foldName(name)
		if name == "" || name == "." || name == ".." || plain == ".git" || strings.HasPrefix(plain, "git~") {
			return false
		}
	}
	return true
}

// foldName returns a name as the file systems of macOS and Windows compare it: without characters that cannot be seen,
// in any case, and without a stream, blanks and dots at its end.
func foldName(name string) string {
	name = strings.Map(func(r rune) rune {
		if 0x200C <= r && r <= 0x200F || 0x202A <= r && r <= 0x202E || 0x206A <= r && r <= 0x206F || r == 0xFEFF {
			return -1
		}
		return r
	}, strings.ToLower(name))
	name, _, _ = strings.Cut(name, ":")
	return strings.TrimRight(name, " .")
}
