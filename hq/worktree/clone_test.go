package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestClonesIgnoredFiles(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	l.write("big/a/run", "#!/bin/sh\n")
	l.write("big/b", "text")
	l.write("plain/c", "not ignored")
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, err := range []error{
		os.Chmod(filepath.Join(l.dir, "big/a/run"), 0o755), os.Chtimes(filepath.Join(l.dir, "big/b"), old, old),
		os.Symlink("a/run", filepath.Join(l.dir, "big/link")), os.Chmod(filepath.Join(l.dir, "big/a"), 0o555),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // a directory that cannot be written cannot be removed either
		_ = os.Chmod(filepath.Join(l.dir, "big/a"), 0o755)
		_ = os.Chmod(filepath.Join(l.Top(), "big/a"), 0o755)
	})
	clone := []string{"big", "missing", "plain", "main.go"}
	if _, err := Make(t.Context(), l.Place, Options{Clone: clone}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(l.Top(), "big/a/run")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the program: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(l.Top(), "big/b")); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("the old file: %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(l.Top(), "big/a")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("the directory: %v, %v", info, err)
	}
	if link, err := os.Readlink(filepath.Join(l.Top(), "big/link")); link != "a/run" || err != nil {
		t.Errorf("the link: %q, %v", link, err)
	}
	if l.has("plain/c") {
		t.Error("a file that git does not ignore was copied")
	}
}

// A repository can have a link to your files, and name what is behind it.
func TestClonesNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	l := newFixture(t)
	secret := t.TempDir()
	if err := os.WriteFile(filepath.Join(secret, "key"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(l.dir, "big")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"big/key", "../" + filepath.Base(secret) + "/key"} {
		_, err := Make(t.Context(), l.Place, Options{Clone: []string{name}})
		if err == nil || !strings.Contains(err.Error(), "[hq] clone names") {
			t.Errorf("%s: %v", name, err)
		}
		if l.has("") {
			t.Fatalf("%s: the worktree is left", name)
		}
	}
}

func TestCloneSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	l := newFixture(t)
	for i := range 300 {
		l.write(fmt.Sprintf("big/%d", i), "text")
	}
	var output []string
	ctx := WithProgress(t.Context(), func(name string, files int) { output = append(output, fmt.Sprint(name, files)) })
	if _, err := Make(ctx, l.Place, Options{Clone: []string{"big"}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(output, []string{"big0", "big256"}) {
		t.Errorf("it output %q", output)
	}
}
