package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyAWorktreeOfOursIsBelieved(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	dir := real(t, repository(t))
	home, err := Locate(dir)
	if err != nil {
		t.Fatal(err)
	}
	evil := real(t, repository(t))
	base := real(t, t.TempDir())
	link := func(to string) []byte { return []byte("gitdir: " + to + "\n") }
	for name, replace := range map[string]func(top, admin string) error{
		"nothing": func(string, string) error { return nil },
		"a directory": func(top, _ string) error {
			return errors.Join(os.Remove(top+"/.git"), os.Rename(evil+"/.git", top+"/.git"))
		},
		"a link to a file": func(top, _ string) error {
			return errors.Join(os.Rename(top+"/.git", top+"/moved"), os.Symlink("moved", top+"/.git"))
		},
		"a link to the main directory": func(top, _ string) error {
			return errors.Join(os.Remove(top+"/.git"), os.Symlink(dir+"/.git", top+"/.git"))
		},
		"another repository": func(top, _ string) error {
			return os.WriteFile(top+"/.git", link(evil+"/.git"), 0o600)
		},
		"the main repository": func(top, _ string) error { return os.WriteFile(top+"/.git", link(dir+"/.git"), 0o600) },
		"a copy beside it": func(top, admin string) error {
			return errors.Join(os.CopyFS(top+"/x/worktrees/w", os.DirFS(admin)),
				os.WriteFile(top+"/.git", link(top+"/x/worktrees/w"), 0o600))
		},
		"no link": func(top, _ string) error { return os.WriteFile(top+"/.git", []byte("x"), 0o600) },
		"another worktree": func(top, _ string) error {
			return errors.Join(home.Places().Do(t.Context(), "worktree", "add", "-q", "--detach", top+"-2"),
				os.WriteFile(top+"/.git", link(home.Common+"/worktrees/"+filepath.Base(top)+"-2"), 0o600))
		},
		"another common directory": func(_, admin string) error {
			return os.WriteFile(filepath.Join(admin, "commondir"), []byte(evil+"/.git\n"), 0o600)
		},
		"a link in the place of ours": func(top, admin string) error {
			return errors.Join(os.Rename(admin, top+"/admin"), os.Symlink(top+"/admin", admin))
		},
	} {
		t.Run(name, func(t *testing.T) {
			top := filepath.Join(base, strings.ReplaceAll(name, " ", "-"))
			if err := home.Places().Do(t.Context(), "worktree", "add", "-q", "--detach", top); err != nil {
				t.Fatal(err)
			}
			admin := filepath.Join(home.Common, "worktrees", filepath.Base(top))
			if err := replace(top, admin); err != nil {
				t.Fatal(err)
			}
			r, err := home.Worktree(top)
			if name == "nothing" {
				if err != nil || r.Dir != admin || !r.Linked() {
					t.Errorf("the repository is %+v, %v; want the linked worktree", r, err)
				}
				return
			}
			if replaced := (*Replaced)(nil); !errors.As(err, &replaced) {
				t.Errorf("got %+v, %v; want a Replaced error", r, err)
			}
		})
	}
	if _, err := home.Worktree(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Error(err)
	}
}
