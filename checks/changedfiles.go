package checks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ferrus/checks/git"
)

// FileChange is a file in which two trees differ.
type FileChange struct {
	Path   string
	Old    string // what it was called, when it was renamed
	Status byte   // A, M, D, R or T, as git has them
	// Modes are git's, in octal: in the older and the newer tree, 000000 where it is not.
	Modes [2]string
}

// Modes of git that are no regular file.
const (
	LinkMode      = "120000"
	SubmoduleMode = linkMode
)

// Was returns the path of the file in the older tree.
func (f FileChange) Was() string {
	if f.Old != "" {
		return f.Old
	}
	return f.Path
}

// Files lists every file in which two trees differ, in order of the paths.
func (r Repo) Files(ctx context.Context, a, b string) (all []FileChange, err error) {
	err = r.compareTrees(ctx, a, b, func(p *private) error {
		if all, err = p.files(ctx, a, b); err == nil && mayRename(all) {
			all, err = p.filesByGit(ctx, a, b)
		}
		return err
	})
	return all, err
}

// files lists the files without renames: one that has another name is deleted and added.
func (p *private) files(ctx context.Context, a, b string) (all []FileChange, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = p.ownGit().DiffTrees(ctx, a, b, func(before, after git.TreeEntry) {
		c := FileChange{Path: after.Path, Status: 'M',
			Modes: [2]string{fmt.Sprintf("%06o", before.Mode), fmt.Sprintf("%06o", after.Mode)}}
		switch {
		case before.Mode == 0:
			c.Status = 'A'
		case after.Mode == 0:
			c.Status = 'D'
		case before.Kind() != after.Kind():
			c.Status = 'T'
		}
		all = append(all, c)
	})
	slices.SortFunc(all, func(a, b FileChange) int { return cmp.Compare(a.Path, b.Path) })
	return all, err
}

// mayRename reports whether git may find that a file was renamed.
func mayRename(all []FileChange) bool {
	has := func(status byte) bool {
		return slices.ContainsFunc(all, func(c FileChange) bool { return c.Status == status })
	}
	return has('A') && has('D')
}

// filesByGit lists the files as git does.
func (p *private) filesByGit(ctx context.Context, a, b string) (all []FileChange, err error) {
	var next FileChange
	paths := 0 // that still belong to next
	g, remove, err := p.treesGit(ctx, a, b)
	if err != nil {
		return nil, err
	}
	defer remove()
	err = g.Each(ctx, func(part string) {
		if fields := strings.Fields(part); paths == 0 && len(fields) == 5 && part[0] == ':' {
			next, paths = FileChange{Status: fields[4][0], Modes: [2]string{fields[0][1:], fields[1]}}, 1
			if next.Status == 'R' || next.Status == 'C' {
				paths = 2
			}
			return
		}
		if paths--; paths == 1 {
			next.Old = part
			return
		}
		next.Path = part
		all = append(all, next)
	}, slices.Concat(comparing, []string{"--raw", "-z", a, b, "--"})...)
	return all, err
}
