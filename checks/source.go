package checks

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ferrus/checks/git"
)

// Source is what another place needs to know to read the trees of a repository.
type Source struct {
	Objects git.Git        // reads the objects of the user, of ferrus, and of the submodules
	Stores  []string       // directories of all these objects
	Format  string         // of the objects: sha1 or sha256
	Below   string         // the project directory, relative to the top of the worktree
	User    git.Repository // whose refs and commits these are
}

// Source returns where the trees of this repository can be read.
func (r Repo) Source(ctx context.Context) (Source, error) {
	p, err := r.open(ctx)
	if err != nil {
		return Source{}, fmt.Errorf("read the repository: %w", err)
	}
	defer p.close()
	s := Source{Format: p.format, User: p.Repository,
		Stores: append([]string{p.file("objects"), filepath.Join(p.Common, "objects")}, submoduleStores(p.Common)...)}
	for _, dir := range slices.Clone(s.Stores[1:]) {
		s.Stores = append(s.Stores, git.Alternates(dir)...)
	}
	if s.Below, err = filepath.Rel(p.Top, p.Workspace); err != nil {
		return s, fmt.Errorf("read the repository: %w", err)
	}
	quoted := make([]string, 0, len(s.Stores))
	for _, dir := range s.Stores[1:] {
		quoted = append(quoted, strconv.Quote(dir))
	}
	s.Objects = p.ownGit().With("GIT_ALTERNATE_OBJECT_DIRECTORIES=" +
		strings.Join(quoted, string(filepath.ListSeparator)))
	s.Objects.Stores = s.Stores
	s.Objects.Keep = nil // it is used without the lock
	return s, nil
}

// submoduleStores returns the directories of objects of submodules, which git keeps
// below modules, nested like the submodules.
func submoduleStores(common string) (all []string) {
	top := filepath.Join(common, "modules")
	_ = filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error { // None is as good.
		if err != nil || !e.IsDir() {
			return nil
		}
		if isGitDirectory(name) {
			all = append(all, filepath.Join(name, "objects"))
			all = append(all, submoduleStores(name)...)
			return fs.SkipDir
		}
		return nil
	})
	return all
}

func isGitDirectory(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
