// Package gittest makes git repositories for tests.
package gittest

import (
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
