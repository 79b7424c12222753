package checks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/checks/git"
)

// nested says what is wrong with a repository inside the worktree, whose commit is part
// of the tree; empty where its files are those of that commit. No git command runs in
// it: its configuration belongs to the agent that works there. Its objects are read from
// outside, and believed for their hashes alone.
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

// submodule is a git directory of ferrus's own for the files of a submodule.
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
	sub := &private{hidden: p.hidden, format: p.format, head: emptyTrees[p.format]}
	sub.Private = filepath.Join(p.Private, "submodules", hex.EncodeToString(sum[:8]))
	sub.Repository = git.Repository{Top: top, Dir: sub.Private, Common: found.Common}
	return sub, os.RemoveAll(sub.Private)
}

// changed names the files of a submodule that are not those of a commit.
func (p *private) changed(ctx context.Context, commit string) ([]string, error) {
	defer os.RemoveAll(p.Private)
	if err := os.MkdirAll(p.Private, 0o700); err != nil {
		return nil, err
	}
	if err := p.prepare(p.format); err != nil {
		return nil, err
	}
	want, err := p.treeOf(ctx, commit)
	if err != nil {
		return nil, err
	}
	// Files that are in the commit and ignored are added again only because they are in
	// the index.
	if err := p.ownGit().Do(ctx, "read-tree", want); err != nil {
		return nil, err
	}
	problems, err := p.add(ctx)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	have, err := p.ownGit().Output(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	names, err := p.ownGit().List(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", want, have, "--")
	var changed []string
	for _, name := range names {
		if same, err := p.converted(ctx, want, name); err != nil || !same {
			changed = append(changed, name)
		}
	}
	if len(names) == 0 && have != want && err == nil {
		return nil, fmt.Errorf("its commit %.12s is damaged", commit)
	}
	inner, innerErr := p.inner(ctx)
	if err == nil {
		err = innerErr
	}
	return append(changed, inner...), err
}

// inner says what is wrong with the submodules of a submodule.
func (p *private) inner(ctx context.Context) (problems []string, err error) {
	err = p.links(ctx, func(name, commit string) {
		if info, err := os.Lstat(filepath.Join(p.Top, name, ".git")); err == nil && info != nil {
			if what := p.nested(ctx, name, commit, true); what != "" {
				problems = append(problems, what)
			}
		}
	})
	return problems, err
}

// links calls f with every submodule in the index and its commit.
func (p *private) links(ctx context.Context, f func(name, commit string)) error {
	var all [][2]string // Git has ended before f starts another.
	err := p.ownGit().Each(ctx, func(entry string) {
		meta, name, _ := strings.Cut(entry, "\t") // 160000 <id> 0
		if fields := strings.Fields(meta); len(fields) == 3 && fields[0] == linkMode {
			all = append(all, [2]string{name, fields[1]})
		}
	}, "ls-files", "--stage", "-z")
	for _, link := range all {
		f(link[0], link[1])
	}
	return err
}

// treeOf returns the tree of a commit. The commit is hashed: git reads a loose object
// without comparing it with its name.
func (p *private) treeOf(ctx context.Context, commit string) (string, error) {
	if !isHash(commit) {
		return "", fmt.Errorf("%q names no commit", commit)
	}
	text, _, err := p.ownGit().Run(ctx, nil, "cat-file", "commit", commit)
	if err != nil {
		return "", err
	}
	if git.Hash(p.format, "commit", []byte(text)) != commit {
		return "", fmt.Errorf("its commit %.12s is damaged", commit)
	}
	line, _, _ := strings.Cut(text, "\n")
	tree, ok := strings.CutPrefix(line, "tree ")
	if !ok || !isHash(tree) {
		return "", fmt.Errorf("its commit %.12s is damaged", commit)
	}
	return tree, nil
}

// convertedBytes bounds the files that are compared with what git would have made of
// them.
const convertedBytes = 64 << 20

// converted reports whether a file is what a checkout of the user's makes of it: with
// other line ends, or with the object in the place of an LFS pointer.
func (p *private) converted(ctx context.Context, tree, name string) (bool, error) {
	file := filepath.Join(p.Top, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > convertedBytes {
		return false, err
	}
	text, _, err := p.ownGit().Run(ctx, nil, "cat-file", "blob", tree+":"+name)
	if err != nil {
		return false, err
	}
	id, err := p.ownGit().Output(ctx, "rev-parse", "--verify", "--quiet", tree+":"+name)
	if err != nil || git.Hash(p.format, "blob", []byte(text)) != id {
		return false, err
	}
	have, err := fs.ReadFile(os.DirFS(p.Top), name)
	if err != nil {
		return false, err
	}
	if bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), []byte(text)) {
		return true, nil
	}
	sum := sha256.Sum256(have)
	return strings.HasPrefix(text, git.PointerPrefix) && strings.Contains(text, "\noid sha256:"+
		hex.EncodeToString(sum[:])+"\n"), nil
}
