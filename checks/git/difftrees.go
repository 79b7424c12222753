package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
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
	d := treeDiff{objects: objects, report: f, left: maxEntries}
	return d.differ(a, b)
}

// CopyDifferences writes a pack into an empty directory of objects, with what git reads to compare or merge trees: all
// in which any two of them differ. Each object is compared with its name, which git does not do.
func (g Git) CopyDifferences(ctx context.Context, to string, trees ...string) error {
	objects, err := g.Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	read, blobs := map[string][]byte{}, map[string]bool{}
	d := treeDiff{objects: objects, left: maxEntries, read: read, report: func(before, after TreeEntry) {
		for _, e := range []TreeEntry{before, after} {
			if e.Mode != 0 && e.Mode != ModeSubmodule {
				blobs[e.ID] = true
			}
		}
	}}
	for i, a := range trees {
		if _, err := d.entries(a); err != nil { // git reads it in any case
			return err
		}
		for _, b := range trees[:i] {
			if err := d.differ(a, b); err != nil {
				return err
			}
		}
	}
	pack, err := NewPackWriter(to, trees[0], len(read)+len(blobs))
	if err != nil {
		return err
	}
	for id, tree := range read {
		err = errors.Join(err, pack.Add("tree", id, tree))
	}
	return errors.Join(err, objects.copy(pack, slices.Sorted(maps.Keys(blobs))), pack.Close())
}

// copy copies blobs.
func (o *Objects) copy(to *PackWriter, ids []string) error {
	if err := o.Ask(ids); err != nil {
		return err
	}
	var content bytes.Buffer
	for _, id := range ids {
		content.Reset()
		if err := o.Read(&content, "blob", id); err != nil {
			return err
		}
		if err := to.Add("blob", id, content.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

type treeDiff struct {
	objects *Objects
	report  func(before, after TreeEntry)
	read    map[string][]byte // gets the trees that were read, by their names; nil: nothing does
	left    int               // entries that may still be read
}

func (d *treeDiff) differ(a, b string) error {
	if err := d.compare("", a, b, 0); err != nil {
		return fmt.Errorf("compare the trees %s and %s: %w", a, b, err)
	}
	return nil
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

// readTree reads a tree, at most once if it is remembered.
func (d *treeDiff) readTree(id string) ([]TreeEntry, error) {
	if content, ok := d.read[id]; ok {
		return parseTree(content, len(id)/2)
	}
	if err := d.objects.Ask([]string{id}); err != nil {
		return nil, err
	}
	content, all, err := d.objects.readTree(id)
	if err == nil && d.read != nil {
		d.read[id] = content
	}
	return all, err
}

// entries returns the entries of a tree, in the order of its names alone.
func (d *treeDiff) entries(id string) ([]TreeEntry, error) {
	if id == "" || id == EmptyTreeLike(id) {
		return nil, nil
	}
	all, err := d.readTree(id)
	slices.SortFunc(all, func(a, b TreeEntry) int { return cmp.Compare(a.Path, b.Path) })
	return all, err
}
