package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ferrus/hq/config"
	"ferrus/hq/worktree"
)

// ProjectEnv is the environment variable that names the project to every process of a
// session.
const ProjectEnv = "FERRUS_PROJECT"

// ErrNone reports that no project was found. Its text says what to do.
var ErrNone = errors.New("there is no " + config.File + " here or in a parent directory; run: ferrus init")

// Find returns the project directory for a command that is started in a directory:
// FERRUS_PROJECT, or the project whose worktree it is in, or the nearest directory upward
// with ferrus.toml, not past the root of the git repository.
func Find(start string) (string, error) {
	if named := os.Getenv(ProjectEnv); named != "" {
		return namedDir(named)
	}
	dir, err := filepath.Abs(start)
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	if home, ok := worktree.Find(dir); ok && exists(filepath.Join(home, config.File)) {
		return home, nil
	}
	for {
		if exists(filepath.Join(dir, config.File)) {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if exists(filepath.Join(dir, ".git")) || above == dir {
			return "", ErrNone
		}
		dir = above
	}
}

func namedDir(named string) (string, error) {
	dir, err := filepath.Abs(named)
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("find the project: %s=%s is not a directory", ProjectEnv, named)
	}
	return dir, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
