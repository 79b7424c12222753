package workspace

import (
	"os"
	"testing"

	"pgregory.net/rapid"
)

// TestAnyTreeAfterAnyChange tries random trees and random changes of the directory.
func TestAnyTreeAfterAnyChange(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it plays random trees")
	}
	t.Parallel()
	f := newFixture(t, "sha1")
	name := rapid.StringMatching(`[abc](/[abc]){0,2}`)
	f.update(sample, "")
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]string{}
		for n, content := range rapid.MapOfN(name, rapid.SampledFrom([]string{"", "x", "yy\n"}), 0, 6).Draw(t, "tree") {
			files[n] = content
		}
		for n := range files {
			for i := range n {
				if n[i] == '/' {
					delete(files, n[:i])
				}
			}
		}
		tree := f.tree(files)
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := f.path(name.Draw(t, "at"))
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				_ = os.WriteFile(at, []byte("evil"), 0o644)
			case 1:
				_ = os.RemoveAll(at)
			case 2:
				_ = os.MkdirAll(at, 0o700)
			case 3:
				_ = os.Symlink("..", at)
			case 4:
				_ = os.Chmod(at, 0o100)
			}
		}
		if _, err := f.ws.Update(f.ctx(), f.repo, tree, ""); err != nil {
			t.Fatal(err)
		}
		quiet := &fixture{TB: silent{f.TB, t}, repo: f.repo, ws: f.ws}
		quiet.compare(files)
	})
}

// silent reports to the play, not to the test around it.
type silent struct {
	testing.TB
	t *rapid.T
}

func (s silent) Errorf(format string, args ...any) { s.t.Errorf(format, args...) }
func (s silent) Fatal(args ...any)                 { s.t.Fatal(args...) }
