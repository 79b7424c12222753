package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// refKinds are the kinds of refs that others than this repository see.
var refKinds = []string{"refs/heads", "refs/tags", "refs/remotes"}

// PackedRefs returns the branches, tags and remote branches in the form of the file packed-refs, without a head line.
// They are read without git where they are files.
func (r Repository) PackedRefs(ctx context.Context) (string, error) {
	if all, ok := r.refFiles(); ok {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(all)) {
			b.WriteString(all[name] + " " + name + "\n")
		}
		return b.String(), nil
	}
	list := []string{"for-each-ref", "--format=%(objectname) %(refname)"}
	out, err := r.Git().Output(ctx, append(list, refKinds...)...)
	if out != "" {
		out += "\n"
	}
	return out, err
}

// IsAncestor reports whether commit a is b or an ancestor of it.
func (r Repository) IsAncestor(ctx context.Context, a, b string) (bool, error) {
	err := r.Git().Do(ctx, "merge-base", "--is-ancestor", a, b)
	if failed := (*Failed)(nil); errors.As(err, &failed) && failed.Exit == 1 {
		return false, nil
	}
	return err == nil, err
}

// refFiles returns the refs that are files, and those in packed-refs. It is false where only git can tell: they are
// stored in another way, or something is damaged.
func (r Repository) refFiles() (all map[string]string, ok bool) {
	if all, ok = r.packedRefFile(); !ok {
		return nil, false
	}
	symbolic := map[string]string{}
	for _, kind := range refKinds {
		err := filepath.WalkDir(filepath.Join(r.Common, kind), func(path string, e fs.DirEntry, err error) error {
			if err != nil && path == filepath.Join(r.Common, kind) && !isThere(path) {
				return fs.SkipDir
			}
			if err != nil || e.IsDir() || strings.HasSuffix(path, ".lock") {
				return err
			}
			name, err := filepath.Rel(r.Common, path)
			name, text := filepath.ToSlash(name), readRef(path)
			if target, is := strings.CutPrefix(text, "ref: "); is {
				symbolic[name] = strings.TrimSpace(target)
			} else if all[name] = text; err != nil || !IsHash(text) {
				return ErrDamaged
			}
			return nil
		})
		if err != nil {
			return nil, false
		}
	}
	for name, target := range symbolic {
		id, found := all[target]
		if !found {
			return nil, false // A symbolic reference to another symbolic one, or to none.
		}
		all[name] = id
	}
	return all, true
}

// packedRefFile returns what the file packed-refs has. It is false where the refs are stored in another way, or the
// file cannot be read.
func (r Repository) packedRefFile() (all map[string]string, ok bool) {
	if isThere(filepath.Join(r.Common, "reftable")) {
		return nil, false
	}
	all = map[string]string{}
	packed, err := readFile(filepath.Join(r.Common, "packed-refs"))
	if err != nil && isThere(filepath.Join(r.Common, "packed-refs")) {
		return nil, false
	}
	for line := range bytes.Lines(packed) {
		id, name, named := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		if named && IsHash(id) && isRefKind(name) {
			all[name] = id
		}
	}
	return all, true
}

// isRefKind reports whether others than this repository see a ref.
func isRefKind(name string) bool {
	return slices.ContainsFunc(refKinds, func(kind string) bool { return strings.HasPrefix(name, kind+"/") })
}
