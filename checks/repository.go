package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoRepository means that the workspace is not inside a git work tree.
var ErrNoRepository = errors.New("this is not a git repository; make it one with: git init")

// location is where the parts of the user's repository are. It is found without
// git, because configuration can make git answer with another place.
type location struct {
	top    string // of the work tree
	gitDir string // of this work tree
	common string // where objects are
}

// locate looks upward from a directory.
func locate(start string) (location, error) {
	for dir := filepath.Clean(start); ; dir = filepath.Dir(dir) {
		found := filepath.Join(dir, ".git")
		switch info, err := os.Stat(found); {
		case err == nil && info.IsDir():
			return complete(dir, found)
		case err == nil:
			linked, err := readLink(found)
			if err != nil {
				return location{}, err
			}
			return complete(dir, linked)
		}
		if dir == filepath.Dir(dir) {
			return location{}, ErrNoRepository
		}
	}
}

// readLink reads the file .git of a linked work tree or a submodule.
func readLink(file string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("find the git directory: %w", err)
	}
	path, ok := strings.CutPrefix(string(data), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("find the git directory: %s does not name one", file)
	}
	return within(filepath.Dir(file), strings.TrimRight(path, "\n")), nil
}

func complete(top, gitDir string) (location, error) {
	l := location{top: top, gitDir: gitDir, common: gitDir}
	data, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err == nil {
		l.common = within(gitDir, strings.TrimRight(string(data), "\n"))
	}
	if _, err := os.Stat(filepath.Join(l.common, "objects")); err != nil {
		return l, fmt.Errorf("%w (%s is no git directory)", ErrNoRepository, gitDir)
	}
	return l, nil
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// git looks at the user's repository. Nothing that is run with it writes.
func (l location) git() git {
	return git{dir: l.top, env: append(cleanEnvironment(), "GIT_DIR="+l.gitDir, "GIT_WORK_TREE="+l.top)}
}

// present is the object format, and the commit and tree that are checked out;
// these are empty before the first commit.
func (l location) present(ctx context.Context) (format, commit, tree string, err error) {
	out, _, err := l.git().run(ctx, nil, "rev-parse", "--show-object-format")
	if err != nil {
		return "", "", "", err
	}
	format = strings.TrimSpace(out)
	out, _, err = l.git().run(ctx, nil, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	if err != nil {
		return format, "", "", ctx.Err()
	}
	commit = strings.TrimSpace(out)
	out, _, err = l.git().run(ctx, nil, "rev-parse", "--quiet", "--verify", commit+"^{tree}")
	return format, commit, strings.TrimSpace(out), err
}

// Head is the commit that is checked out; empty before the first one.
func (r Repo) Head(ctx context.Context) string {
	l, err := locate(r.Workspace)
	if err != nil {
		return ""
	}
	_, commit, _, _ := l.present(ctx) // Without a commit there is none to name.
	return commit
}
