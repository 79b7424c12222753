// Package gittest makes git repositories for tests.
package gittest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/checks/git"
)

// Commit makes a repository of a directory: everything in it that is not ignored
// becomes the first commit of its branch main, and its configuration names a
// committer.
func Commit(t testing.TB, dir string) {
	t.Helper()
	do := func(args ...string) {
		t.Helper()
		if err := git.In(dir).Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	gitDir := filepath.Join(dir, ".git")
	fresh := !isRepository(dir)
	if fresh {
		create(t, gitDir)
	}
	configure(t, filepath.Join(gitDir, "config"))
	do("add", "-A")
	commit := func() { do("commit", "-q", "--allow-empty", "-m", "base") }
	if fresh {
		commitFirst(t, gitDir, commit)
	} else {
		commit()
	}
}

// Run runs git in a directory as a user would, with their configuration and environment and a committer, and
// returns its output without the last newline. A failure ends the test.
func Run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, out, problems.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

func isRepository(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git", "HEAD"))
	return err == nil
}

// create makes what git init makes, except the sample hooks. That saves a process in each of
// a thousand tests.
func create(t testing.TB, dir string) {
	t.Helper()
	for _, folder := range []string{"hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n" +
			"\tlogallrefupdates = true\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// configure sets a committer in the configuration of a repository, and keeps git from
// packing it in the background, where it would still be writing after the test.
func configure(t testing.TB, file string) {
	t.Helper()
	config, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.WriteString("[user]\n\tname = a\n\temail = a@b\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	if err = errors.Join(err, config.Close()); err != nil {
		t.Fatal(err)
	}
}

// Forge replaces a loose object in a git directory with another one, under the first
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

// ForgePacked puts another content under the name of an object, in a pack of a git directory: git takes an object from
// a pack before it takes it from elsewhere.
func ForgePacked(t testing.TB, dir, kind, name, content string) {
	t.Helper()
	made := t.TempDir()
	pack, err := git.NewPackWriter(made, name, 1)
	if err == nil {
		err = errors.Join(pack.Add(kind, name, []byte(content)), pack.Close())
	}
	files, _ := filepath.Glob(filepath.Join(made, "pack", "pack-*")) // the pattern is well formed
	for _, file := range files {
		err = errors.Join(err, os.Rename(file, filepath.Join(dir, "objects", "pack", "pack-"+name+filepath.Ext(file))))
	}
	if err != nil {
		t.Fatal(err)
	}
}
