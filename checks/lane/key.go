package lane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ferrus/checks"
	"ferrus/checks/git"
)

// lockFiles are the names of files that say which packages a project gets.
var lockFiles = []string{
	"go.sum", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
	"bun.lockb", "deno.lock", "Cargo.lock", "uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "requirements*.txt",
	"Gemfile.lock", "composer.lock", "mix.lock", "packages.lock.json", "gradle.lockfile",
}

// keys say what the output of the setup commands depends on.
type keys struct {
	base string // with the files of the base
	tree string // with those of the tree that is gated
}

// treeKey returns the key of output that serves one tree alone.
func (k keys) treeKey(tree string) string { return k.tree + " " + tree }

// keys returns the keys of a job. Both are empty where there is no setup.
func (j Job) keys(ctx context.Context, from checks.Source) (k keys, err error) {
	if len(j.Setup) == 0 {
		return keys{base: j.IncludeKey, tree: j.IncludeKey}, nil
	}
	if k.tree, err = j.key(ctx, from, j.Tree); err != nil || j.Base == "" {
		return k, err
	}
	k.base, err = j.key(ctx, from, j.Base)
	return k, err
}

// key returns a hash of the setup commands, their programs, and the files that setup
// depends on. Where there is no such file, that is the whole tree, unless setup is known to read none.
func (j Job) key(ctx context.Context, from checks.Source, tree string) (string, error) {
	all, err := from.Objects.Tree(ctx, tree)
	if err != nil {
		return "", err
	}
	other := func(e git.TreeEntry) bool { return !j.dependsOn(e.Path, from.Below) }
	files := slices.DeleteFunc(slices.Clone(all), other)
	if dirs, ok := j.environments(); len(files) == 0 && len(j.Key) == 0 && ok {
		files = inside(all, filepath.ToSlash(from.Below), dirs)
	} else if len(files) == 0 {
		files = []git.TreeEntry{{ID: tree}}
	}
	data, err := json.Marshal(struct {
		Setup    []checks.Command
		Programs []string
		Files    []git.TreeEntry
		Include  string
	}{j.Setup, j.programs(), files, j.IncludeKey})
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// dependsOn reports whether setup depends on a file of the tree. A pattern without a
// slash is a name in any directory; another one is relative to the project directory.
func (j Job) dependsOn(file, project string) bool {
	patterns := j.Key
	if len(patterns) == 0 {
		patterns = lockFiles
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		name := path.Base(file)
		if strings.Contains(pattern, "/") {
			pattern, name = path.Join(filepath.ToSlash(project), pattern), file
		}
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

// programs tells the versions of the programs that setup commands name: where they are,
// and when they were changed.
func (j Job) programs() (all []string) {
	for _, c := range j.Setup {
		for _, word := range checks.ShellWords(c.Run) {
			for _, dir := range filepath.SplitList(j.path()) {
				file := filepath.Join(dir, word)
				if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
					all = append(all, file, info.ModTime().UTC().String())
					break
				}
			}
		}
	}
	return all
}
