package regular

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A repository that was cloned has links to files of yours, and into its own record.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	t.Parallel()
	dir, yours := t.TempDir(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	put := func(name, text string) { t.Helper(); must(os.WriteFile(name, []byte(text), 0o640)) }
	put(filepath.Join(yours, "bashrc"), "# mine")
	must(os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755))
	must(os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
	put(filepath.Join(dir, ".git", "config"), "[core]")
	put(filepath.Join(dir, "real"), "old")
	below, err := filepath.Rel(dir, yours)
	must(err)
	for link, target := range map[string]string{
		"absolute": filepath.Join(yours, "bashrc"), "relative": filepath.Join(below, "bashrc"),
		"dir": yours, "missing": filepath.Join(yours, "made"), "config": ".git/config", "hooks": ".git/hooks",
		"upper": ".GIT", "state": ".ferrus/STATE.json", "twice": "absolute", "cycle": "cycle",
		"up": "docs/../../" + filepath.Base(dir) + "/real", "folder": "docs",
		"inside": filepath.Join(dir, "docs/../real"), "near": "docs/../real",
	} {
		must(os.Symlink(target, filepath.Join(dir, link)))
	}
	for _, name := range []string{"absolute", "relative", "dir/bashrc", "missing", "config", "hooks/post-checkout",
		"upper/config", "state", "twice", "cycle", "up", "../" + filepath.Base(yours) + "/bashrc"} {
		if err := Replace(dir, name, []byte("evil"), 0o644); !errors.Is(err, ErrLink) {
			t.Errorf("Replace(%s): %v, want ErrLink", name, err)
		}
	}
	for _, name := range []string{"dir/made", "hooks/post-checkout", "upper/made"} {
		if made, err := Create(dir, name, "evil"); made || !errors.Is(err, ErrLink) {
			t.Errorf("Create(%s) = %v, %v; want ErrLink", name, made, err)
		}
		if err := MakeDir(dir, name); !errors.Is(err, ErrLink) {
			t.Errorf("MakeDir(%s): %v, want ErrLink", name, err)
		}
	}
	if err := Remove(dir, "dir/bashrc"); !errors.Is(err, ErrLink) {
		t.Errorf("Remove: %v, want ErrLink", err)
	}
	if made, err := Create(dir, "missing", "evil"); made || err != nil {
		t.Errorf("a link that leads nowhere was replaced: %v, %v", made, err)
	}
	for name, want := range map[string]string{filepath.Join(yours, "bashrc"): "# mine",
		filepath.Join(dir, ".git", "config"): "[core]"} {
		if data, _ := os.ReadFile(name); string(data) != want {
			t.Errorf("%s is %q, want %q", name, data, want)
		}
	}
	for _, left := range []string{filepath.Join(yours, "*"), filepath.Join(dir, ".git", "hooks", "*"),
		filepath.Join(dir, ".ferrus*")} {
		found, err := filepath.Glob(left)
		must(err)
		if len(found) > 1 || len(found) == 1 && filepath.Base(found[0]) != "bashrc" {
			t.Errorf("left are %v, want at most bashrc", found)
		}
	}

	// A link within the checkout stays, and so do the modes.
	must(Replace(dir, "inside", []byte("newer"), 0o640))
	must(Replace(dir, "near", []byte("new"), 0o640))
	made, err := Create(dir, "folder/new/a.md", "a")
	must(err)
	data, err := os.ReadFile(filepath.Join(dir, "real"))
	must(err)
	info, err := os.Stat(filepath.Join(dir, "real"))
	must(err)
	if _, err := os.Readlink(filepath.Join(dir, "inside")); err != nil || !made || string(data) != "new" ||
		info.Mode() != 0o640 {
		t.Errorf("got %v, %v, %q, %v; want the link kept, and new with mode 0640", err, made, data, info.Mode())
	}
	if data, err := os.ReadFile(filepath.Join(dir, "docs", "new", "a.md")); err != nil || string(data) != "a" {
		t.Errorf("a.md is %q, %v; want a", data, err)
	}
}
