package remote

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/hq/wire"
)

// entry is one entry of a tree object, in git's storage format.
type entry struct{ mode, name, hash string }

// store writes an object into a clone without checking it.
func store(t *testing.T, clone, kind, content string) string {
	t.Helper()
	hash, _, err := git.In(clone).Run(t.Context(), strings.NewReader(content), "hash-object", "-t", kind, "-w",
		"--stdin", "--literally")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(hash)
}

func storeTree(t *testing.T, clone string, entries ...entry) string {
	t.Helper()
	var b strings.Builder
	for _, e := range entries {
		raw, err := hex.DecodeString(e.hash)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\x00%s", e.mode, e.name, raw)
	}
	return store(t, clone, "tree", b.String())
}

// commitOf stores a commit of a tree with the given time.
func commitOf(t *testing.T, clone, tree, at string) string {
	t.Helper()
	text := fmt.Sprintf("tree %s\nparent %s\nauthor a <a@b> %s +0000\ncommitter a <a@b> %s +0000\n\nx\n",
		tree, output(t, clone, "rev-parse", "HEAD"), at, at)
	return store(t, clone, "commit", text)
}

// A pack that no honest worker makes changes nothing at home.
func TestHostilePacksAreRefused(t *testing.T) {
	t.Parallel()
	const soon = "1700000000"
	for name, c := range map[string]struct {
		tree  func(t *testing.T, clone, blob string) string
		at    string
		words string // empty if it is accepted, and harmless
	}{
		"a git directory": {at: soon, words: "git refuses", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"40000", ".git", storeTree(t, clone, entry{"100644", "config", blob})})
		}},
		"a git directory in disguise": {at: soon, words: "git refuses",
			tree: func(t *testing.T, clone, blob string) string {
				below := storeTree(t, clone, entry{"100644", "config", blob})
				return storeTree(t, clone, entry{"40000", "git~1", below})
			}},
		"hooks in capitals": {at: soon, words: "git refuses", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"40000", ".GIT", storeTree(t, clone, entry{"100755", "hooks", blob})})
		}},
		"a way up": {at: soon, words: "git refuses", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"40000", "..", storeTree(t, clone, entry{"100644", "x", blob})})
		}},
		"a path as a name": {at: soon, words: "git refuses", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"100644", "../x", blob})
		}},
		"one name twice": {at: soon, words: "git refuses", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"100644", "x", blob}, entry{"120000", "x", blob})
		}},
		"a submodule that runs a program": {at: soon, words: "git refuses",
			tree: func(t *testing.T, clone, _ string) string {
				evil := store(t, clone, "blob", "[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=evil\n")
				return storeTree(t, clone, entry{"100644", ".gitmodules", evil})
			}},
		"a time that overflows": {at: "99999999999999999999", words: "git refuses",
			tree: func(t *testing.T, clone, blob string) string {
				return storeTree(t, clone, entry{"100644", "a.txt", blob})
			}},
		"a record of ferrus": {at: soon, words: "which no work may have",
			tree: func(t *testing.T, clone, blob string) string {
				return storeTree(t, clone, entry{"40000", ".ferrus", storeTree(t, clone, entry{"100644", "x", blob})})
			}},
		"a time far ahead": {at: "253402300799", tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"100644", "b.txt", blob})
		}},
		"names that differ by case": {at: soon, tree: func(t *testing.T, clone, blob string) string {
			return storeTree(t, clone, entry{"100644", "A.txt", blob}, entry{"100644", "a.txt", blob})
		}},
		"a commit of another repository": {at: soon, tree: func(t *testing.T, clone, _ string) string {
			return storeTree(t, clone, entry{"160000", "sub", strings.Repeat("1", 40)})
		}},
	} {
		if testing.Short() && name != "a git directory" && name != "a record of ferrus" && name != "a time far ahead" {
			continue // one that git refuses, one that ferrus refuses, and one that is accepted
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, clone := repositories(t)
			config, err := os.ReadFile(filepath.Join(w.repository.Common, "config"))
			if err != nil {
				t.Fatal(err)
			}
			tree := c.tree(t, clone, store(t, clone, "blob", "by the worker\n"))
			commit := commitOf(t, clone, tree, c.at)
			err = w.receive(t.Context(), to(t, serving(sendCommit(t, clone, commit))),
				wire.Workspace{Commit: commit, Tree: tree})
			if (err != nil) != (c.words != "") || err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v, want %q", err, c.words)
			}
			data, err := os.ReadFile(filepath.Join(w.repository.Top, "a.txt"))
			if c.words != "" && (err != nil || string(data) != "at home\n") {
				t.Errorf("the worktree's file is %q, %v; want it unchanged", data, err)
			}
			if now, err := os.ReadFile(filepath.Join(w.repository.Common, "config")); string(now) != string(config) {
				t.Errorf("git's configuration was changed: %v\n%s", err, now)
			}
			if _, err := os.Stat(filepath.Join(w.repository.Top, "..", "x")); err == nil {
				t.Error("a file was written next to the worktree")
			}
		})
	}
}

// A symbolic link from a worker stays a link at home, and nothing is written through it.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	w, clone := repositories(t)
	outside := t.TempDir()
	blob, link := store(t, clone, "blob", "by the worker\n"), store(t, clone, "blob", outside)
	first := storeTree(t, clone, entry{"120000", "d", link})
	second := storeTree(t, clone, entry{"40000", "d", storeTree(t, clone, entry{"100644", "x", blob})})
	for _, tree := range []string{first, second} {
		commit := commitOf(t, clone, tree, "1700000000")
		if err := w.receive(t.Context(), to(t, serving(sendCommit(t, clone, commit))),
			wire.Workspace{Commit: commit, Tree: tree}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := os.ReadDir(outside); err != nil || len(all) > 0 {
		t.Errorf("outside the worktree are %v, %v; want nothing", all, err)
	}
	if info, err := os.Lstat(filepath.Join(w.repository.Top, "d")); err != nil || !info.IsDir() {
		t.Errorf("d is %v, %v; want a directory", info, err)
	}
}

// A small pack with more or longer files than the limits allow is refused before any is written.
func TestAPackThatGrowsIsRefused(t *testing.T) { // it sets package limits, so it is not parallel
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	before := maxGrowth
	maxGrowth = growth{files: 500, bytes: 1 << 20}
	defer func() { maxGrowth = before }()
	for name, c := range map[string]struct {
		tree  func(clone string) string
		words string
	}{
		"files": {func(clone string) string {
			below, mode := store(t, clone, "blob", "x"), "100644"
			for range 4 { // 10,000 files in five objects
				var all []entry
				for n := range 10 {
					all = append(all, entry{mode, fmt.Sprint(n), below})
				}
				below, mode = storeTree(t, clone, all...), "40000"
			}
			return below
		}, "more than 500 changed files"},
		"data": {func(clone string) string {
			zeros := store(t, clone, "blob", strings.Repeat("\x00", 300<<10))
			var all []entry
			for n := range 4 {
				all = append(all, entry{"100644", fmt.Sprint(n), zeros})
			}
			return storeTree(t, clone, all...)
		}, "more than 1048576 bytes"},
	} {
		w, clone := repositories(t)
		tree := c.tree(clone)
		commit := commitOf(t, clone, tree, "1700000000")
		err := w.receive(t.Context(), to(t, serving(sendCommit(t, clone, commit))),
			wire.Workspace{Commit: commit, Tree: tree})
		var broken *wire.Violation
		if !errors.As(err, &broken) || !strings.Contains(broken.What, c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
		all, err := os.ReadDir(w.repository.Top)
		if i := slices.IndexFunc(all, func(e os.DirEntry) bool { return e.Name() == "0" }); err != nil || i >= 0 {
			t.Errorf("%s: files were written: %v, %v", name, all, err)
		}
	}
}
