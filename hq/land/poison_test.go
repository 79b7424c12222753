package land

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/hq/worktree"
	"ferrus/store/longtest"
)

// safely runs ferrus's own git in the poisoned repository.
func (l *fixture) safely(args ...string) {
	l.Helper()
	l.ok(git.Around(l.Dir).Do(l.Context(), args...))
}

// TestNothingOfARepositoryRuns lands work from a repository that could make git run a program in
// every way we know, at each step.
func TestNothingOfARepositoryRuns(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	for _, workspace := range []string{"here", "worktree"} {
		t.Run(workspace, func(t *testing.T) {
			t.Parallel()
			l := newFixture(t, workspace)
			ran := filepath.Join(t.TempDir(), "ran")
			run := ""
			if workspace == "worktree" {
				run = gittest.Poison(t, l.Dir, ran) // the worktree is created from it
			}
			l.startTask()
			put(t, l.in(), ".gitattributes", "* filter=x diff=x merge=x\n")
			put(t, l.in(), "new.go", "package new\n")
			put(t, l.in(), "a.txt", "changed\n")
			if workspace == "here" {
				run = gittest.Poison(t, l.Dir, ran)
			}
			l.approve()
			if workspace == "worktree" {
				put(t, l.Dir, "other.go", "package other\n")
				l.safely("add", "other.go")
				l.safely("commit", "-q", "-m", "main moves on")
			}
			// In the sandbox its hooks cannot write and so refuse, and its signing program does not
			// sign.
			for _, hook := range []string{"prepare-commit-msg", "commit-msg", ""} {
				if _, err := l.land(Options{}); !errors.As(err, new(*RefusedError)) {
					t.Fatalf("got %v, want a refusal without a hook and a signature", err)
				}
				l.ok(os.RemoveAll(filepath.Join(run+".hooks", hook)))
			}
			for _, name := range []string{"config", "config.worktree"} {
				config := filepath.Join(l.Dir, ".git", name)
				text, err := os.ReadFile(config)
				l.ok(err)
				l.ok(os.WriteFile(config, append(text, "[commit]\n\tgpgSign = false\n"...), 0o600))
			}
			if _, err := l.land(Options{}); err != nil {
				t.Fatal(err)
			}
			if _, err := worktree.List(t.Context(), l.Dir); err != nil {
				t.Error(err)
			}
			if output, err := os.ReadFile(ran); err == nil {
				t.Errorf("a program of the repository ran:\n%s", output)
			}
			for name, want := range map[string]string{"HEAD:new.go": "package new\n", "HEAD:a.txt": "changed\n"} {
				if got, _, err := git.Around(l.Dir).Run(t.Context(), nil, "cat-file", "blob", name); got != want {
					t.Errorf("landed %s as %q, %v; want %q", name, got, err, want)
				}
			}
		})
	}
}
