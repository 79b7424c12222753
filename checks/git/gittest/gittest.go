// Package gittest makes git repositories for tests.
package gittest

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
)

// Commit makes a repository of a directory: all that is in it and not ignored is the
// first commit of its branch main, and who commits there is known.
func Commit(t testing.TB, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "a"}, {"config", "user.email", "a@b"},
		{"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "base"},
	} {
		if err := git.In(dir).Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
}

// Forge puts a loose object into the place of another one in a git directory, under that
// one's name.
func Forge(t testing.TB, dir, name, content string) {
	t.Helper()
	place := func(id string) string { return filepath.Join(dir, "objects", id[:2], id[2:]) }
	forged, err := os.ReadFile(place(content))
	if err == nil {
		err = os.Remove(place(name))
	}
	if err == nil {
		err = os.WriteFile(place(name), forged, 0o400)
	}
	if err != nil {
		t.Fatal(err)
	}
}
