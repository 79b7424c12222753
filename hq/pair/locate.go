package pair

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ferrus/agent/statedir"
	"ferrus/hq/project"
)

// Locate returns the project of a run: the one around a directory if it has the run, else
// the one that created it, wherever that is. Nothing is guessed: a run that is in neither
// is not found.
func Locate(start, id string) (string, error) {
	if !idForm.MatchString(id) {
		return "", fmt.Errorf("%w: %.60q is not the id of one", ErrNoRun, id)
	}
	dir, err := project.Find(start)
	if err == nil && exists(manifestIn(dir, id)) {
		return dir, nil
	}
	places, err := runIndexDir()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(places, id))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %s", ErrNoRun, id)
	}
	if err != nil {
		return "", fmt.Errorf("find run %s: %w", id, err)
	}
	dir = strings.TrimSpace(string(data))
	if !exists(manifestIn(dir, id)) {
		const moved = "%w any more: %s was made in %s; in a project that moved, resume it from there"
		return "", fmt.Errorf(moved, ErrNoRun, id, dir)
	}
	return dir, nil
}

func manifestIn(dir, id string) string {
	return filepath.Join(dir, ".ferrus", runsDir, id, "manifest.json")
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// runIndexDir returns the directory of the user's index of runs: a file for each, with its
// project.
func runIndexDir() (string, error) {
	state := statedir.Find()
	if state == "" {
		return "", errors.New("find the index of runs: you have no state directory: set HOME or XDG_STATE_HOME")
	}
	return filepath.Join(state, runsDir), nil
}

// addToIndex writes the project of a run into the index.
func addToIndex(m Manifest) error {
	places, err := runIndexDir()
	if err == nil {
		err = os.MkdirAll(places, 0o700)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(places, m.ID), []byte(m.Project+"\n"), 0o600)
}
