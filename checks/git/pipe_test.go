package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestGitDoesNotWaitForPipes puts a named pipe into the place of each file that git reads. Git
// would wait for it until it is killed.
func TestGitDoesNotWaitForPipes(t *testing.T) {
	old := patience
	patience = 50 * time.Millisecond
	defer func() { patience = old }()
	places := []string{".gitignore", ".gitattributes", "below/.gitignore", ".git/refs/heads/x"}
	unread := []string{".git/gitdir", ".git/config.worktree", ".git/info/sparse-checkout"} // not by these commands
	for _, name := range files {
		places = append(places, ".git/"+name)
	}
	for _, name := range places {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			if err := In(dir).Do(ctx, "init", "-q", "-b", "main"); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			_ = os.RemoveAll(path) // Most are not there.
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.MkdirAll(filepath.Join(dir, "below"), 0o700),
				os.WriteFile(filepath.Join(dir, "below", "a"), []byte("a"), 0o600), syscall.Mkfifo(path, 0o600))
			if err != nil {
				t.Fatal(err)
			}
			err = errors.Join(Around(dir).Do(ctx, "add", "-A"), Around(dir).Do(ctx, "for-each-ref"))
			var found *PipeError
			switch {
			case ctx.Err() != nil:
				t.Fatal("git waited")
			case err != nil && !errors.As(err, &found):
				t.Errorf("%v", err)
			case found != nil && found.Path != path:
				t.Errorf("found %s", found.Path)
			case found == nil && !slices.Contains(unread, name):
				t.Errorf("nothing was said")
			}
		})
	}
}

// TestGitDoesNotReadHoles makes files that claim more than git reads in a day.
func TestGitDoesNotReadHoles(t *testing.T) {
	old := patience
	patience = 50 * time.Millisecond
	defer func() { patience = old }()
	dir := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if err := errors.Join(In(dir).Do(ctx, "init", "-q", "-b", "main"),
		os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("disk.image\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"disk.image", "holes"} {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err == nil {
			err = errors.Join(f.Truncate(64<<30), f.Close())
		}
		if err != nil {
			t.Skip("no files of holes here: " + err.Error())
		}
		err = Around(dir).Do(ctx, "add", "-A")
		switch found := (*HolesError)(nil); {
		case ctx.Err() != nil:
			t.Fatal("git read on")
		case name == "disk.image" && err != nil:
			t.Errorf("an ignored file: %v", err)
		case name == "holes" && (!errors.As(err, &found) || found.Path != path):
			t.Errorf("%v", err)
		}
	}
}
