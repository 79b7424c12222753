package checks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// Stored returns the tree that a commit of another one has: the same files as git keeps them.
// Trees of ferrus have the bytes that commands read. Where a checkout has made these
// of what base has, with other line ends or with the object in the place of an LFS pointer,
// the file is what it is in base; a file that LFS tracks becomes a pointer. Nothing
// else is converted, whatever attributes and filters are configured.
//
// All objects of the tree are in the user's repository afterwards, and each of them that
// base does not have was compared with its name there.
func (r Repo) Stored(ctx context.Context, tree, base string) (string, error) {
	p, err := r.open(ctx)
	if err != nil {
		return "", fmt.Errorf("store the tree: %w", err)
	}
	defer p.close()
	stored, err := p.store(ctx, tree, base)
	if errors.Is(err, git.ErrMissing) {
		// The user's repository has lost a file that ferrus's index relied on. It is still in the worktree.
		if now, failed := p.readAnew(ctx); failed == nil && now.Hash == tree {
			stored, err = p.store(ctx, tree, base)
		}
	}
	if err != nil {
		return "", fmt.Errorf("store the tree: %w", err)
	}
	return stored, nil
}

func (p *private) store(ctx context.Context, tree, base string) (string, error) {
	before, err := p.byPath(ctx, base)
	if err != nil {
		return "", err
	}
	files, err := p.ownGit().Tree(ctx, tree)
	if err != nil {
		return "", err
	}
	var changed []git.TreeEntry
	for _, e := range files {
		if before[e.Path] != e {
			changed = append(changed, e)
		}
	}
	converted, err := p.convert(ctx, tree, changed, before)
	if err != nil {
		return "", err
	}
	if len(converted) > 0 {
		if tree, err = p.ownGit().EditTree(ctx, tree, converted); err != nil {
			return "", err
		}
	}
	return tree, p.publish(ctx, tree, base)
}

// convert returns the files whose stored form is another one.
func (p *private) convert(ctx context.Context, tree string, changed []git.TreeEntry,
	before map[string]git.TreeEntry) (converted []git.TreeEntry, err error) {
	attributes, err := p.attributes(ctx, tree, changed)
	if err != nil {
		return nil, err
	}
	objects, err := p.ownGit().Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	for _, e := range changed {
		if !isFileMode(e.Mode) {
			continue
		}
		old := before[e.Path]
		text, err := objects.Blob(e.ID)
		if err != nil {
			return nil, err
		}
		var was []byte
		if isFileMode(old.Mode) {
			if was, err = objects.Blob(old.ID); err != nil {
				return nil, err
			}
		}
		switch {
		case isCheckoutOf(text, was, attributes[e.Path].crlf):
			e.ID = old.ID
		case attributes[e.Path].lfs && !bytes.HasPrefix(text, []byte(git.PointerPrefix)):
			if e.ID, err = p.pointer(ctx, text); err != nil {
				return nil, err
			}
		default:
			continue
		}
		converted = append(converted, e)
	}
	return converted, nil
}

// isCheckoutOf reports whether a file is what a checkout makes of a stored one, with the
// line ends of other systems if those are wanted.
func isCheckoutOf(file, stored []byte, crlf bool) bool {
	if len(stored) == 0 {
		return false
	}
	if crlf && bytes.Equal(bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), stored) {
		return true
	}
	sum := sha256.Sum256(file)
	return pointedTo(stored) == hex.EncodeToString(sum[:])
}

// fileAttributes say how a checkout converts a file.
type fileAttributes struct{ lfs, crlf, other bool } // other: by a filter that ferrus does not run

// attributes asks git how the attributes of a tree convert files. That runs no program, and
// reads no file of a worktree.
func (p *private) attributes(ctx context.Context, tree string, files []git.TreeEntry) (map[string]fileAttributes,
	error) {
	all := map[string]fileAttributes{}
	if len(files) == 0 {
		return all, nil
	}
	names := make([]string, 0, len(files))
	for _, e := range files {
		names = append(names, e.Path)
	}
	user, remove, err := p.attributesGit(ctx, tree)
	if err != nil {
		return nil, err
	}
	defer remove()
	out, _, err := user.Run(ctx, list(names), "check-attr", "--cached", "-z", "--stdin", "filter", "eol")
	if err != nil {
		return nil, err
	}
	everywhere, _, err := p.Setting("core.autocrlf")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 { // Path, attribute, value.
		a := all[fields[i]]
		if fields[i+1] == "filter" {
			a.lfs = fields[i+2] == "lfs"
			a.other = !a.lfs && !slices.Contains([]string{"unspecified", "unset", "set", ""}, fields[i+2])
		}
		a.crlf = a.crlf || everywhere == "true" || fields[i+1] == "eol" && fields[i+2] == "crlf"
		all[fields[i]] = a
	}
	return all, nil
}

// attributesGit returns a Git whose index has the files of attributes of a tree alone, and their objects, which were
// compared with their names; and what cleans up after it.
func (p *private) attributesGit(ctx context.Context, tree string) (g git.Git, remove func(), err error) {
	dir, err := os.MkdirTemp("", "ferrus-git-")
	if err != nil {
		return g, nil, err
	}
	remove = func() { os.RemoveAll(dir) } //nolint:errcheck // it is temporary
	g = p.Git().With("GIT_INDEX_FILE="+filepath.Join(dir, "index"), "GIT_OBJECT_DIRECTORY="+dir)
	files, err := p.ownGit().Tree(ctx, tree)
	files = slices.DeleteFunc(files, func(e git.TreeEntry) bool { return path.Base(e.Path) != ".gitattributes" })
	for _, e := range files {
		var text []byte
		if text, err = p.ownGit().Object(ctx, "blob", e.ID); err == nil {
			_, err = git.WriteObject(dir, e.ID, "blob", text)
		}
		if err != nil {
			break
		}
	}
	if err == nil && len(files) > 0 {
		err = setIndex(ctx, g, files)
	}
	if err != nil {
		remove()
	}
	return g, remove, err
}

// pointer stores content as git LFS does, and returns the blob of its pointer file.
// What is there already stays only if it is the same.
func (p *private) pointer(ctx context.Context, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	oid := hex.EncodeToString(sum[:])
	file := p.lfsObject(oid)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	if have, err := regular.Read(file, int64(len(content))); err != nil || !bytes.Equal(have, content) {
		temporary := fmt.Sprintf("%s.%d", file, os.Getpid())
		if err := errors.Join(os.WriteFile(temporary, content, 0o644), os.Rename(temporary, file)); err != nil {
			return "", err
		}
	}
	text := fmt.Sprintf("%soid sha256:%s\nsize %d\n", git.PointerPrefix, oid, len(content))
	id, _, err := p.ownGit().Run(ctx, strings.NewReader(text), "hash-object", "-w", "--stdin")
	return strings.TrimSpace(id), err
}

// publish copies the objects of a tree that base does not have to the user's repository.
// Git takes them from a pack before it takes a loose object, and refuses a pack with
// another object under a name that it has already.
func (p *private) publish(ctx context.Context, tree, base string) error {
	g := p.ownGit()
	ids, err := g.Added(ctx, base, tree)
	if err != nil || len(ids) == 0 {
		return err
	}
	env, remove, err := g.Environ()
	if err != nil {
		return err
	}
	defer remove()
	pack := g.Command(ctx, "pack-objects", "-q", "--stdout")
	pack.Env, pack.Stdin = env, strings.NewReader(strings.Join(ids, "\n")+"\n")
	out, err := pack.StdoutPipe()
	if err != nil {
		return err
	}
	if err := pack.Start(); err != nil {
		return err
	}
	_, _, err = p.Git().Run(ctx, out, "index-pack", "--stdin", "--fix-thin")
	if err := errors.Join(err, pack.Wait()); err != nil {
		return err
	}
	return p.verify(ctx, tree, ids)
}

// verify reads the tree and the new objects in the user's repository, and compares
// each with its name.
func (p *private) verify(ctx context.Context, tree string, ids []string) error {
	files, err := p.Git().Tree(ctx, tree)
	if err != nil {
		return err
	}
	blobs := map[string]bool{}
	for _, e := range files {
		blobs[e.ID] = e.Mode != git.ModeSubmodule
	}
	ids = deleteUnless(ids, blobs)
	objects, err := p.Git().Objects(ctx)
	if err != nil {
		return err
	}
	defer objects.Close()
	if err := objects.Ask(ids); err != nil {
		return err
	}
	for _, id := range ids {
		if err := objects.Read(io.Discard, "blob", id); err != nil {
			return err
		}
	}
	return nil
}

// deleteUnless returns the strings that are in a set.
func deleteUnless(all []string, in map[string]bool) (kept []string) {
	for _, s := range all {
		if in[s] {
			kept = append(kept, s)
		}
	}
	return kept
}
