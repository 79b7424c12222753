package git

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// DiffTrees calls f with every path in which two trees differ: what the first has there and what the second has; of
// each only the path where it has nothing. What is in a directory that is the same in both is not read.
func (g Git) DiffTrees(ctx context.Context, a, b string, f func(before, after TreeEntry)) error {
	objects, err := g.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	d := treeDiff{objects, f, maxEntries}
	if err := d.compare("", a, b, 0); err != nil {
		return fmt.Errorf("compare the trees %s and %s: %w", a, b, err)
	}
	return nil
}

type treeDiff struct {
	objects *Objects
	report  func(before, after TreeEntry)
	left    int // entries that may still be read
}

// compare compares what is below a path. An empty name is a directory that is not there.
func (d *treeDiff) compare(path, a, b string, depth int) error {
	if a == b {
		return nil
	}
	before, err := d.entries(a)
	if err != nil {
		return err
	}
	after, err := d.entries(b)
	if err != nil {
		return err
	}
	if d.left -= len(before) + len(after); d.left < 0 || depth > maxDepth {
		return fmt.Errorf("they have more than %d entries or %d levels", maxEntries, maxDepth)
	}
	for len(before)+len(after) > 0 {
		var old, new TreeEntry
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Path < after[0].Path:
			old, before = before[0], before[1:]
		case len(before) == 0 || after[0].Path < before[0].Path:
			new, after = after[0], after[1:]
		default:
			old, new, before, after = before[0], after[0], before[1:], after[1:]
		}
		if err := d.entry(path, old, new, depth); err != nil {
			return err
		}
	}
	return nil
}

// entry compares what two trees have under one name.
func (d *treeDiff) entry(path string, old, new TreeEntry, depth int) error {
	if old == new {
		return nil
	}
	name := path + cmp.Or(old.Path, new.Path)
	var dirs [2]string
	for i, e := range []*TreeEntry{&old, &new} {
		if e.Path = name; e.Mode == modeDirectory {
			dirs[i], *e = e.ID, TreeEntry{Path: name}
		}
	}
	if old != new {
		d.report(old, new)
	}
	return d.compare(name+"/", dirs[0], dirs[1], depth+1)
}

// entries reads a tree, in the order of its names alone.
func (d *treeDiff) entries(id string) ([]TreeEntry, error) {
	if id == "" || id == EmptyTreeLike(id) {
		return nil, nil
	}
	if err := d.objects.Ask([]string{id}); err != nil {
		return nil, err
	}
	all, err := d.objects.readTree(id)
	slices.SortFunc(all, func(a, b TreeEntry) int { return cmp.Compare(a.Path, b.Path) })
	return all, err
}
