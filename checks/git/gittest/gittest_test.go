package gittest

import (
	"os"
	"path/filepath"
	"testing"

	"ferrus/checks/git"
)

// The first commit of the same files is the same in every repository: git finds all of it, and nothing
// that is changed.
func TestFirstCommitsAreWhole(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	commit := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		Commit(t, dir)
		out := func(args ...string) string {
			out, err := git.In(dir).Output(t.Context(), args...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if s := out("status", "--porcelain") + out("fsck", "--strict"); s != "" {
			t.Errorf("after the commit of %v: %s", files, s)
		}
		if got := out("log", "-g", "--format=%s", "main"); got != "base" {
			t.Errorf("%v: the log is %q", files, got)
		}
		return out("rev-parse", "HEAD^{tree}")
	}
	one := commit(map[string]string{"a": "1", "some/where": "2"})
	for range 2 {
		if again := commit(map[string]string{"a": "1", "some/where": "2"}); again != one {
			t.Errorf("the tree is %s, and then %s", one, again)
		}
	}
	for _, other := range []map[string]string{{"a": "2", "some/where": "2"}, {"a": "1", "some/There": "2"}, {}} {
		if again := commit(other); again == one {
			t.Errorf("%v has the tree of other files", other)
		}
	}
}
