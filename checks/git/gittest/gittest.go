// Package gittest makes git repositories for tests.
package gittest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
)

// Commit makes a repository of a directory: all that is in it and not ignored is the
// first commit of its branch main, and who commits there is known.
func Commit(t testing.TB, dir string) {
	t.Helper()
	do := func(args ...string) {
		t.Helper()
		if err := git.In(dir).Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	do("init", "-q", "-b", "main")
	configure(t, filepath.Join(dir, ".git", "config"))
	do("add", "-A")
	do("commit", "-q", "--allow-empty", "-m", "base")
}

// configure adds to the configuration of a repository who commits there, and that git
// does not pack it in the background, where it would still write when the test is over.
func configure(t testing.TB, file string) {
	t.Helper()
	config, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.WriteString("[user]\n\tname = a\n\temail = a@b\n[gc]\n\tauto = 0\n")
	if err = errors.Join(err, config.Close()); err != nil {
		t.Fatal(err)
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
