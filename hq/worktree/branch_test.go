package worktree_test

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/worktree"
	"ferrus/store/exectest"
)

// A git that does not answer is not one that says that no branch is checked out: a task that started then would
// never land by itself.
func TestNoAnswerIsNotNoBranch(t *testing.T) {
	dir := t.TempDir()
	gittest.Commit(t, dir)
	r, err := git.Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	branch, err := worktree.Branch(t.Context(), r)
	if err != nil || branch == "" {
		t.Fatalf("%q, %v", branch, err)
	}
	if err := git.In(dir).Do(t.Context(), "checkout", "--quiet", "--detach"); err != nil {
		t.Fatal(err)
	}
	if branch, err := worktree.Branch(t.Context(), r); branch != "" || err != nil {
		t.Errorf("detached: %q, %v", branch, err)
	}
	killed := t.TempDir()
	if err := exectest.WriteFile(filepath.Join(killed, "git"), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", killed+":"+os.Getenv("PATH"))
	if branch, err := worktree.Branch(t.Context(), r); err == nil {
		t.Errorf("killed: %q", branch)
	}
}
