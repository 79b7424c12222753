package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestGitDoesNotWaitForPipes puts a named pipe into the place of each file that git reads. Git
// would wait for it until it is killed.
func TestGitDoesNotWaitForPipes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
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

// TestGitDoesNotWaitForPipesOfOtherStores puts a named pipe into directories of objects that a git of ferrus's own
// reads besides its own: the one that its environment names, and one that this names.
func TestGitDoesNotWaitForPipesOfOtherStores(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	old := patience
	patience = 50 * time.Millisecond
	defer func() { patience = old }()
	for name, file := range map[string]string{
		"alternates":           "a: store/info/alternates",
		"alternates of others": "named/info/alternates",
		"an object":            "named/12/" + strings.Repeat("34", 19),
		"a pack":               "a: store/pack/pack-" + strings.Repeat("5", 40) + ".idx",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			top := t.TempDir()
			dir, pipe := filepath.Join(top, "work"), filepath.Join(top, file)
			store, named := filepath.Join(top, "a: store"), filepath.Join(top, "named")
			err := errors.Join(os.Mkdir(dir, 0o700), In(dir).Do(ctx, "init", "-q"),
				os.MkdirAll(filepath.Join(store, "info"), 0o700), os.MkdirAll(filepath.Join(named, "info"), 0o700),
				os.WriteFile(filepath.Join(store, "info", "alternates"), []byte(named+"\n"), 0o600),
				os.MkdirAll(filepath.Dir(pipe), 0o700))
			_ = os.Remove(pipe) // The file of alternates is there.
			if err = errors.Join(err, syscall.Mkfifo(pipe, 0o600)); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(pipe, ".idx") { // Git reads an index only if there is its pack.
				if err := os.WriteFile(strings.TrimSuffix(pipe, ".idx")+".pack", nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			g := Around(dir).With("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strconv.Quote(store))
			err = g.Do(ctx, "cat-file", "-p", "12"+strings.Repeat("34", 19))
			var found *PipeError
			if ctx.Err() != nil || !errors.As(err, &found) || found.Path != pipe {
				t.Errorf("git returned %v, want that it would wait for %s; %v", err, pipe, ctx.Err())
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
