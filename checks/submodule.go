package checks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks/git"
	"ferrus/checks/regular"
)

// nested says what is wrong with a repository inside the worktree, whose commit is part
// of the tree; empty where its files are those of that commit. No git command runs in
// it: its configuration belongs to the agent that works there. Its objects are read from
// outside, and trusted only as far as their hashes prove them.
func (p *private) nested(ctx context.Context, name, commit string, listed bool) string {
	shown := shorten(oneLine(name), whyBytes)
	if !listed {
		return "the nested repository " + shown +
			" is not part of the tree: remove it, ignore it, or make it a submodule"
	}
	sub, err := p.submodule(name)
	if err != nil {
		return "the submodule " + shown + " cannot be read: " + err.Error()
	}
	changed, err := sub.changed(ctx, commit)
	if err != nil {
		return "the submodule " + shown + " cannot be read: " + err.Error()
	}
	if len(changed) > 0 {
		return fmt.Sprintf("the submodule %s has changes that are not committed in it: %s", shown, JoinPaths(changed))
	}
	return ""
}

// submodule returns a git directory of ferrus's own for the files of a submodule. The
// user's excludes are in force there as they are pinned; nothing else is left out.
func (p *private) submodule(name string) (*private, error) {
	top := filepath.Join(p.Top, filepath.FromSlash(name))
	found, err := git.Locate(top)
	if err != nil {
		return nil, err
	}
	if found.Top != top {
		return nil, git.ErrNoRepository
	}
	sum := sha256.Sum256([]byte(name))
	sub := &private{format: p.format}
	sub.Private = filepath.Join(p.Private, "submodules", hex.EncodeToString(sum[:8]))
	sub.Repository = git.Repository{Top: top, Dir: sub.Private, Common: found.Common}
	if err := os.RemoveAll(sub.Private); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(sub.Private, 0o700); err != nil {
		return nil, err
	}
	if err := sub.prepare(); err != nil {
		return nil, err
	}
	excludes, err := os.ReadFile(p.file("info/exclude"))
	if err != nil {
		return nil, err
	}
	return sub, sub.put("info/exclude", strings.TrimPrefix(string(excludes), p.ownExclude()))
}

// changed returns the names of the files of a submodule that differ from a commit.
func (p *private) changed(ctx context.Context, commit string) ([]string, error) {
	defer os.RemoveAll(p.Private)
	want, err := p.ownGit().CommitTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	// Files that are in the commit and ignored are read again only because they are in the
	// index.
	if err := setIndex(ctx, p.ownGit(), want); err != nil {
		return nil, err
	}
	problems, err := p.add(ctx)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	have := map[string]git.TreeEntry{}
	if err := p.ownGit().EachEntry(ctx, func(e git.TreeEntry) { have[e.Path] = e }); err != nil {
		return nil, err
	}
	var changed []string
	for _, e := range want {
		if now := have[e.Path]; now != e && !p.isConverted(ctx, e, now) {
			changed = append(changed, e.Path)
		}
		delete(have, e.Path)
	}
	changed = append(changed, slices.Sorted(maps.Keys(have))...)
	for _, e := range want {
		if e.Mode == git.ModeSubmodule && isThere(filepath.Join(p.Top, filepath.FromSlash(e.Path), ".git")) {
			if what := p.nested(ctx, e.Path, e.ID, true); what != "" {
				changed = append(changed, what)
			}
		}
	}
	return changed, nil
}

func isThere(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// setIndex puts files into the index of a git. Git knows nothing yet of the files
// themselves, so it reads each of them.
func setIndex(ctx context.Context, g git.Git, files []git.TreeEntry) error {
	var list strings.Builder
	for _, e := range files {
		fmt.Fprintf(&list, "%o %s\t%s\x00", e.Mode, e.ID, e.Path)
	}
	_, _, err := g.Run(ctx, strings.NewReader(list.String()), "update-index", "-z", "--index-info")
	return err
}

// convertedBytes bounds the files that are compared with what git would have made of
// them.
const convertedBytes = 64 << 20

// isConverted reports whether a file is now what a checkout of the user's makes of it:
// with other line ends, or with the object in the place of an LFS pointer.
func (p *private) isConverted(ctx context.Context, want, now git.TreeEntry) bool {
	file := filepath.Join(p.Top, filepath.FromSlash(want.Path))
	info, err := os.Lstat(file)
	if err != nil || want.Mode != now.Mode || !info.Mode().IsRegular() || info.Size() > convertedBytes {
		return false
	}
	text, err := p.ownGit().Object(ctx, "blob", want.ID)
	if err != nil {
		return false
	}
	have, err := regular.Read(file, convertedBytes)
	if err != nil || git.Hash(want.ID, "blob", have) != now.ID {
		return false // It changed just now.
	}
	return isCheckoutOf(have, text, true)
}
