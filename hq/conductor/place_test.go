package conductor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/conductor"
)

// A commit outside of HQ and a broken ferrus.toml are seen by the notices of the file system,
// without anything else happening.
func TestOutsideChangesAreSeen(t *testing.T) {
	w := newWalker(t, func() string { return "hang" })
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", w.p.Dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)
		if out, err := command(t, "git", args...); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	}
	before := w.c.View().Branch
	git("commit", "-q", "--allow-empty", "-m", "outside")
	w.wait(w.c, "new commit", func(v conductor.View) bool {
		return v.Branch != before && strings.Contains(v.Branch, " ")
	})
	git("checkout", "-q", "-b", "other")
	w.wait(w.c, "other branch", func(v conductor.View) bool { return strings.HasPrefix(v.Branch, "other ") })
	w.write(filepath.Join(".", "ferrus.toml"), "nonsense = 1\n")
	w.wait(w.c, "broken configuration", func(v conductor.View) bool { return v.ConfigError != "" })
}
