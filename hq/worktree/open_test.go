package worktree

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAClosedWorktreeIsOpened(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "worktree")
	other := filepath.Join(t.TempDir(), "other")
	for _, name := range []string{dir, other} {
		if err := os.Mkdir(name, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	link := dir + ".link"
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if err := Open(link); err != nil {
		t.Error(err)
	}
	for _, mode := range []fs.FileMode{0, 0o300, 0o555} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Open(dir); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != mode|0o700 {
			t.Errorf("after %v it has %v, %v", mode, info.Mode(), err)
		}
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the target of a link has %v, %v", info.Mode(), err)
	}
}
