package lane

import (
	"context"
	"fmt"
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
	index, err := git.EncodeIndex(tree, p.listed)
	if err != nil {
		return err
	}
	commit, object := workCommit(tree, j.Commit)
	return workspace.Fill(dir, workspace.Contents{
		Files: map[string][]byte{
			"config": []byte(text), "objects/info/alternates": []byte(strings.Join(from.Stores, "\n") + "\n"),
			"HEAD": []byte(commit + "\n"), "packed-refs": []byte(refs), "index": index,
			"objects/" + commit[:2] + "/" + commit[2:]: object,
		},
		Dirs: []string{"refs/heads", "info"},
	})
}

// workCommit returns the name and the file of a commit of the tree that the files are of; parent may be empty.
func workCommit(tree, parent string) (id string, object []byte) {
	text := "tree " + tree + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	const by = "ferrus <ferrus@localhost> 0 +0000\n"
	return git.LooseObject(tree, "commit", []byte(text+"author "+by+"committer "+by+"\nthe work under test\n"))
}
