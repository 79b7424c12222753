package lane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
	"ferrus/checks/workspace"
)

// configuration of the git directory that commands see. The first word is the version of
// its format, the second the place of its files, the third the object format.
const configuration = `[core]
	repositoryformatversion = %d
	bare = false
	worktree = %q
	hooksPath = /dev/null
	fsmonitor = false
[user]
	name = ferrus
	email = ferrus@localhost
[extensions]
	objectFormat = %s
[gc]
	auto = 0
`

// makeRepository gives the files a git directory, for commands that call git: HEAD is a
// commit of the tree on top of the one that the task started from, as a checkout
// on a build server would be, and branches and tags are the user's. Nothing is ever read
// from it again: commands may do with it as they like.
func (p *Place) makeRepository(ctx context.Context, j Job, from checks.Source, tree string) error {
	dir := p.lane.join("git")
	if err := workspace.RemoveAll(dir); err != nil {
		return err
	}
	for _, below := range []string{"objects/info", "refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, below), 0o700); err != nil {
			return err
		}
	}
	version := 0
	if from.Format != "sha1" {
		version = 1
	}
	text := fmt.Sprintf(configuration, version, p.Top, from.Format)
	if version == 0 {
		text = strings.Replace(text, "[extensions]\n\tobjectFormat = sha1\n", "", 1)
	}
	refs, err := from.User.PackedRefs(ctx)
	if err != nil {
		return err
	}
	for name, content := range map[string]string{
		"config": text, "objects/info/alternates": strings.Join(from.Stores, "\n") + "\n",
		"HEAD": "ref: refs/heads/none\n", "packed-refs": refs,
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	if err := p.checkOut(dir, tree, j.Commit); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.Top, ".git"), []byte("gitdir: "+dir+"\n"), 0o600)
}

// checkOut makes a commit of the tree that the files are of, and the index; parent may be empty.
func (p *Place) checkOut(dir, tree, parent string) error {
	text := "tree " + tree + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	const by = "ferrus <ferrus@localhost> 0 +0000\n"
	commit, err := git.WriteObject(filepath.Join(dir, "objects"), tree, "commit",
		[]byte(text+"author "+by+"committer "+by+"\nthe work under test\n"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte(commit+"\n"), 0o600); err != nil {
		return err
	}
	return git.WriteIndex(filepath.Join(dir, "index"), tree, p.listed)
}
