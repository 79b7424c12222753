package checks

import (
	"context"
	"fmt"
	"slices"

	"ferrus/checks/git"
)

// Differing are the paths in which files differ from a commit.
type Differing struct {
	Paths []string
	// Filtered are the paths whose attributes in the commit name a filter that ferrus does not run, and so cannot
	// commit. They may differ for that alone.
	Filtered []string
}

// Differing returns in which paths a tree of ferrus differs from a commit's tree, base. A file that is what a checkout
// makes of the commit's differs in nothing, see [Repo.Stored].
func (r Repo) Differing(ctx context.Context, tree, base string) (d Differing, err error) {
	p, err := r.open(ctx)
	if err == nil {
		defer p.close()
		d, err = p.differing(ctx, tree, base)
	}
	if err != nil {
		return d, fmt.Errorf("compare the tree with its commit: %w", err)
	}
	return d, nil
}

func (p *private) differing(ctx context.Context, tree, base string) (d Differing, err error) {
	before, err := p.byPath(ctx, base)
	if err != nil {
		return d, err
	}
	now, err := p.byPath(ctx, tree)
	if err != nil {
		return d, err
	}
	var changed []git.TreeEntry
	for path, e := range now {
		if old, ok := before[path]; !ok {
			d.Paths = append(d.Paths, path)
		} else if old != e {
			changed = append(changed, e)
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			d.Paths = append(d.Paths, path)
		}
	}
	attributes, err := p.attributes(ctx, base, changed)
	if err != nil {
		return d, err
	}
	objects, err := p.ownGit().Objects(ctx)
	if err != nil {
		return d, err
	}
	defer objects.Close()
	for _, e := range changed {
		a, same := attributes[e.Path], false
		if old := before[e.Path]; old.Mode == e.Mode && isFileMode(e.Mode) {
			if same, err = sameFile(objects, e.ID, old.ID, a.crlf); err != nil {
				return d, err
			}
		}
		if !same {
			d.Paths = append(d.Paths, e.Path)
			if a.other {
				d.Filtered = append(d.Filtered, e.Path)
			}
		}
	}
	slices.Sort(d.Paths)
	slices.Sort(d.Filtered)
	return d, nil
}

// sameFile reports whether a file is what a checkout makes of a stored one.
func sameFile(objects *git.Objects, file, stored string, crlf bool) (bool, error) {
	text, err := objects.Blob(file)
	if err != nil {
		return false, err
	}
	was, err := objects.Blob(stored)
	return err == nil && isCheckoutOf(text, was, crlf), err
}
