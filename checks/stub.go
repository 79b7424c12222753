package checks

import (
	"context"
	"errors"
)

// Tree names the present content of the work tree.
func (r Repo) Tree(ctx context.Context) (Tree, error) {
	return Tree{}, errors.New("identify tree: not built yet")
}

// Changed lists the paths that differ between two trees, the first of them.
func (r Repo) Changed(ctx context.Context, a, b string) ([]string, error) { return nil, nil }

// Head is the commit that is checked out; empty before the first one.
func (r Repo) Head(ctx context.Context) string { return "" }
