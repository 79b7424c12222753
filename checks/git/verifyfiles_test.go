package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A link in the place of a directory leads to no file of the worktree, even to one with the same content.
func TestNoFileIsReadBehindALink(t *testing.T) {
	t.Parallel()
	g, w, _ := refreshable(t)
	dir, outside := filepath.Join(w.Top, "src"), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o755))
	for _, in := range []string{dir, outside} {
		must(os.WriteFile(filepath.Join(in, "key"), []byte("text"), 0o600))
	}
	must(g.Do(t.Context(), "add", "--all"))
	names := map[string]bool{"a": true, "src/key": true}
	differing := func() []string {
		t.Helper()
		wrong, err := g.Differing(t.Context(), w, names)
		must(err)
		return wrong
	}
	if wrong := differing(); len(wrong) > 0 {
		t.Errorf("%q differ, but nothing has changed", wrong)
	}
	must(os.Rename(dir, dir+".aside"))
	must(os.Symlink(outside, dir))
	if wrong := differing(); !slices.Equal(wrong, []string{"src/key"}) {
		t.Errorf("%q differ, want the file behind the link", wrong)
	}
	if file, err := w.open("src/key"); err == nil {
		file.Close()
		t.Error("a file behind a link was opened")
	}
}
