package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// repository returns a new one with a commit; its hooks leave a trace.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "m"}} {
		if err := In(dir).Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	for _, hook := range []string{"pre-commit", "post-checkout", "reference-transaction", "post-index-change"} {
		if err := os.WriteFile(filepath.Join(dir, ".git", "hooks", hook),
			[]byte("#!/bin/sh\ntouch "+dir+"/ran\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAnAgentsShellDoesNotMislead(t *testing.T) {
	dir, other := repository(t), repository(t)
	for name, value := range map[string]string{
		"GIT_DIR": other + "/.git", "GIT_WORK_TREE": other, "GIT_INDEX_FILE": other + "/.git/index",
		"GIT_COMMON_DIR":       other + "/.git",
		"GIT_OBJECT_DIRECTORY": other + "/.git/objects", "GIT_CONFIG_PARAMETERS": "'core.hooksPath'='.git/hooks'",
		"GIT_EXTERNAL_DIFF": "false",
	} {
		t.Setenv(name, value)
	}
	l, err := Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]Git{"by place": In(dir), "by name": l.Git()} {
		if top, err := g.Output(t.Context(), "rev-parse", "--show-toplevel"); err != nil || top != real(t, dir) {
			t.Errorf("%s: the top is %q, %v; want the directory", name, top, err)
		}
	}
}

func real(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoHookRuns(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	l, err := Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "w")
	for _, args := range [][]string{{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m",
		"n"}, {"checkout", "-q", "--detach"}} {
		if err := l.Git().Do(t.Context(), args...); err != nil {
			t.Error(err)
		}
	}
	if err := l.Places().Do(t.Context(), "worktree", "add", "-q", "-b", "x", other); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a hook of the repository ran")
	}
	linked, err := Locate(other)
	if err != nil || !linked.Linked() || l.Linked() || linked.Common != filepath.Join(dir, ".git") &&
		linked.Common != filepath.Join(real(t, dir), ".git") {
		t.Errorf("the repository is %+v, %v; want a linked worktree of the other", linked, err)
	}
}

func TestAFailureIsOneLine(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	err := In(dir).Do(t.Context(), "rev-parse", "--verify", "refs/heads/\x1b[31mno")
	var f *Failed
	if !errors.As(err, &f) || f.Exit != 128 || f.Command != "rev-parse" || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("the error is %#v, %v; want exit code 128 of rev-parse without control characters", f, err)
	}
	if _, err := Locate(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Error(err)
	}
}

// TestPresentFollowsTheCheckout compares the commit that is read from files with the one that git
// says, after everything that can change it.
func TestPresentFollowsTheCheckout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	dir := repository(t)
	r, err := Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"commit", "-q", "--allow-empty", "-m", "n"}, {"checkout", "-q", "-b", "x"},
		{"commit", "-q", "--allow-empty", "-m", "o"}, {"checkout", "-q", "--detach", "main"}, {"checkout", "-q", "x"},
		{"pack-refs", "--all"}, {"checkout", "-q", "main"}, {"reset", "-q", "--soft", "x"},
		{"symbolic-ref", "HEAD", "refs/heads/none"}} {
		if args != nil {
			if err := r.Git().With("GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
				"GIT_COMMITTER_EMAIL=a@b").Do(t.Context(), args...); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := r.Git().Output(t.Context(), "rev-parse", "--quiet", "--revs-only", "--show-object-format",
			"HEAD^{commit}", "HEAD^{tree}")
		for range 2 { // the second from what is known
			format, commit, tree, err := r.Present(t.Context())
			if got := strings.TrimSpace(format + "\n" + commit + "\n" + tree); got != want || err != nil {
				t.Errorf("after %v: %q instead of %q, %v", args, got, want, err)
			}
		}
	}
}

// What the disk refused git is known as such, as for any other program.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]error{
		"fatal: sha1 file 'x/tmp_idx' write error. Out of diskspace\n":           syscall.ENOSPC,
		"error: unable to write file a: No space left on device\nfatal: it is\n": syscall.ENOSPC,
		"fatal: cannot lock ref: Read-only file system\n":                        syscall.EROFS,
		"fatal: pathspec 'No space left on device' did not match\n":              nil,
	} {
		err := Explain(t.Context(), []string{"add"}, words, errors.New("exit status 128"))
		if want != nil && !errors.Is(err, want) || want == nil && errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%q is %v, want %v", words, err, want)
		}
	}
}
