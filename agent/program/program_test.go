package program

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/store/exectest"
)

// place returns a directory of a PATH with a program.
func place(t *testing.T, parts ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exectest.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho \"$PATH\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, parts ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(parts...), 0o755); err != nil {
		t.Fatal(err)
	}
}

// A program inside a project, or in the repository that ferrus works in, is never run, even if
// there is no other one; one in another repository is found last.
func TestFind(t *testing.T) {
	top := t.TempDir()
	mkdir(t, top, "project", ".git")
	mkdir(t, top, "project", ".ferrus")
	mkdir(t, top, "parts", ".git")
	mkdir(t, top, "parts", "one", ".ferrus")
	mkdir(t, top, "manager", ".git")
	venv := place(t, top, "project", ".venv", "bin")
	worktree := place(t, top, "project", ".ferrus", "worktrees", "t", "b")
	other, manager, plain := place(t, top, "parts", "bin"), place(t, top, "manager", "bin"), place(t, top, "plain")
	link := filepath.Join(top, "link")
	if err := os.Symlink(venv, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(top, "parts", "one"))
	for name, c := range map[string]struct{ path, want []string }{
		"outside":            {[]string{venv, plain}, []string{plain}},
		"through a link":     {[]string{link, plain}, []string{plain}},
		"another repository": {[]string{manager, plain}, []string{plain, manager}},
		"nowhere else":       {[]string{venv, manager}, []string{manager}},
		"projects alone":     {[]string{venv, link, worktree, other}, nil},
		"relative":           {[]string{"", ".", "../../plain"}, nil},
		"not there yet":      {[]string{filepath.Join(top, "project", "new", "bin"), plain}, []string{plain}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", strings.Join(c.path, ":"))
			want := strings.Join(c.want, ":")
			if Path() != want {
				t.Errorf("PATH is %s, want %s", Path(), want)
			}
			found, err := Find("tool")
			if want == "" {
				if found != "" || !errors.Is(err, exec.ErrNotFound) {
					t.Errorf("Find = %q, %v; want ErrNotFound", found, err)
				}
				if err := Command(t.Context(), os.Environ(), "tool").Run(); !errors.Is(err, exec.ErrNotFound) {
					t.Errorf("it was started: %v", err)
				}
				return
			}
			if found != filepath.Join(c.want[0], "tool") || err != nil {
				t.Errorf("Find = %q, %v; want the tool in %s", found, err, c.want[0])
			}
			helpers := c.want[0] // one in no repository needs no other
			out, err := Command(t.Context(), os.Environ(), "tool").Output()
			if strings.TrimSpace(string(out)) != helpers || err != nil {
				t.Errorf("it runs with the PATH %s, %v", out, err)
			}
		})
	}
}

// A path is not searched for, and the error says why an existing program is not run.
func TestFindSays(t *testing.T) {
	if got, err := Find("./tool"); got != "./tool" || err != nil {
		t.Errorf("Find(./tool) = %q, %v; want it unchanged", got, err)
	}
	top := t.TempDir()
	mkdir(t, top, ".ferrus")
	dir := place(t, top, "bin")
	t.Setenv("PATH", dir)
	if _, err := Find("tool"); err == nil || !strings.Contains(err.Error(), "tool is only in "+dir) {
		t.Errorf("it says %v", err)
	}
	if _, err := Find("none"); err == nil || strings.Contains(err.Error(), "only in") {
		t.Errorf("it says %v", err)
	}
}
