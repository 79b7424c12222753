package checks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// PointerError reports a file that is a pointer of Git LFS to content that is not here: a
// checkout would have other bytes than the checks ran on.
type PointerError struct{ Path string }

func (e *PointerError) Error() string {
	return e.Path + " is a pointer of git LFS, and what it points to is not in the repository's lfs/objects"
}

// CheckedOut returns the tree that commands read where a stored one is checked out: with
// the content of Git LFS objects in the place of their pointers. Proven is a tree of the
// work, whose files are believed to be the content of the pointers that name them, and base
// is the stored tree that it began with. A pointer of base stays one where proven has it
// too: the commands have always read it. The error is a [*PointerError] where the work
// brought a pointer whose content is missing.
func (r Repo) CheckedOut(ctx context.Context, stored, proven, base string) (tree string, err error) {
	p, err := r.open(ctx)
	if err != nil {
		return "", fmt.Errorf("read what would land: %w", err)
	}
	defer p.close()
	if tree, err = p.checkedOut(ctx, stored, proven, base); err != nil && !errors.As(err, new(*PointerError)) {
		err = fmt.Errorf("read what would land: %w", err)
	}
	return tree, err
}

func (p *private) checkedOut(ctx context.Context, stored, proven, base string) (string, error) {
	var have [3]map[string]git.TreeEntry
	for i, id := range []string{stored, proven, base} {
		var err error
		if have[i], err = p.byPath(ctx, id); err != nil {
			return "", err
		}
	}
	objects, err := p.ownGit().Objects(ctx)
	if err != nil {
		return "", err
	}
	defer objects.Close()
	var contents []git.TreeEntry
	for name, e := range have[0] {
		work, before := have[1][name], have[2][name]
		if work == e && before == e || !isFileMode(e.Mode) {
			continue
		}
		if have, err := p.content(ctx, objects, e, work); err != nil {
			return "", err
		} else if have.ID != "" {
			contents = append(contents, have)
		} else if work == e && before != e && have.Mode != 0 {
			return "", &PointerError{name}
		}
	}
	if len(contents) == 0 {
		return stored, nil
	}
	return p.ownGit().EditTree(ctx, stored, contents)
}

// content returns the file that a checkout makes of a pointer; without an ID where its content
// is missing, and nothing where a file is no pointer.
func (p *private) content(ctx context.Context, objects *git.Objects, e, work git.TreeEntry) (git.TreeEntry, error) {
	text, err := objects.Blob(e.ID)
	oid := pointedTo(text)
	if err != nil || oid == "" {
		return git.TreeEntry{}, err
	}
	found := git.TreeEntry{Mode: e.Mode, Path: e.Path}
	if isFileMode(work.Mode) && work.ID != e.ID {
		content, err := objects.Blob(work.ID)
		if err != nil {
			return found, err
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) == oid {
			found.ID = work.ID
			return found, nil
		}
	}
	content, err := regular.Read(p.lfsObject(oid), math.MaxInt32)
	if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != oid {
		return found, nil //nolint:nilerr // what cannot be read, or is another, is missing
	}
	id, _, err := p.ownGit().Run(ctx, bytes.NewReader(content), "hash-object", "-w", "--no-filters", "--stdin")
	found.ID = strings.TrimSpace(id)
	return found, err
}

// lfsObject returns where git LFS keeps content.
func (p *private) lfsObject(oid string) string {
	return filepath.Join(p.Common, "lfs", "objects", oid[:2], oid[2:4], oid)
}

// pointedTo returns the hash of the content that a pointer of Git LFS names; empty for any other
// text.
func pointedTo(text []byte) string {
	if len(text) > maxPointer || !bytes.HasPrefix(text, []byte(git.PointerPrefix)) {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if oid, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "oid sha256:"); ok &&
			len(oid) == 2*sha256.Size && git.IsHash(oid) {
			return oid
		}
	}
	return ""
}

// maxPointer is the size of the largest pointer, see the specification of Git LFS.
const maxPointer = 1024

func isFileMode(mode uint32) bool { return mode == git.ModeFile || mode == git.ModeExecutable }

// byPath returns the files of a tree by their names; none for no tree.
func (p *private) byPath(ctx context.Context, tree string) (map[string]git.TreeEntry, error) {
	all := map[string]git.TreeEntry{}
	if tree == "" {
		return all, nil
	}
	entries, err := p.ownGit().Tree(ctx, tree)
	for _, e := range entries {
		all[e.Path] = e
	}
	return all, err
}
