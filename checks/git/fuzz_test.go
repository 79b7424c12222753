package git

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLocate reads any file .git and commondir: a repository is found only where
// there are objects, and nothing panics.
func FuzzLocate(f *testing.F) {
	f.Add("gitdir: ../x/.git/worktrees/y\n", "../..\n")
	f.Add("gitdir: \x00", "/\n")
	f.Add("gitdir: git\n\n", "\n")
	f.Fuzz(func(t *testing.T, link, common string) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "git"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{".git": link, "git/commondir": common} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Locate(dir)
		if err != nil {
			return
		}
		if _, err := os.Stat(filepath.Join(r.Common, "objects")); err != nil || r.Top != dir {
			t.Errorf("the repository is %+v, %v; want one with objects", r, err)
		}
	})
}
