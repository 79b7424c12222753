package checks

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ferrus/checks/git/gittest"
)

// TestReadHeadSaysWhatGitSays checks that ReadHead returns what git says, or nothing.
func TestReadHeadSaysWhatGitSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "feature/x")
	r := Repo{Workspace: dir}
	if got := r.ReadHead(); got != "" {
		t.Errorf("before the first commit: %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	gittest.Commit(t, dir)
	for _, args := range [][]string{nil, {"checkout", "-q", "--detach"}, {"checkout", "-q", "feature/x"}} {
		if args != nil {
			runGit(t, dir, args...)
		}
		if got, want := r.ReadHead(), r.Describe(t.Context()); got != want || got == "" {
			t.Errorf("after %q: %q, git says %q", args, got, want)
		}
	}
	runGit(t, dir, "pack-refs", "--all")
	if got := r.ReadHead(); got != "" {
		t.Errorf("with packed references: %q", got)
	}
}

func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}
