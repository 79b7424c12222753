package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/store/exectest"
)

// A program that an agent put into a checkout is never the git that ferrus runs, even if the PATH
// of your terminal finds it first, directly or by a link; and neither is a helper of git's.
func TestGitIsNotOfACheckout(t *testing.T) {
	top, ran := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	write(t, top, "a.txt", "a\n")
	gittest.Commit(t, top)
	bin := filepath.Join(top, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"git", "git-own"} {
		script := []byte("#!/bin/sh\ntouch " + ran + "\n")
		if err := exectest.WriteFile(filepath.Join(bin, name), script, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "bin")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{bin, link} {
		t.Run(filepath.Base(filepath.Dir(first)), func(t *testing.T) {
			t.Setenv("PATH", first+":"+os.Getenv("PATH"))
			if _, err := git.In(top).Output(t.Context(), "rev-parse", "HEAD"); err != nil {
				t.Error(err)
			}
			if _, err := git.In(top).Output(t.Context(), "own"); err == nil {
				t.Error("git found a helper in a checkout")
			}
			if _, err := os.Stat(ran); err == nil {
				t.Error("a program of the checkout ran")
			}
		})
	}
}
