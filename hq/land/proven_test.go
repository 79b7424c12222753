package land

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
	"ferrus/store/longtest"
)

// Nothing that a session writes into the repository's configuration changes what lands: the commit
// has the approved files, byte for byte.
func TestTheProvenTreeLands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	poisons := map[string]func(l *fixture, gitDir, dir string){
		"a clean filter": func(l *fixture, gitDir, dir string) {
			l.git("config", "filter.evil.clean", "sed s/nine/evil/")
			put(l.T, filepath.Join(gitDir, "info"), "attributes", "*.txt filter=evil\n")
		},
		"excludes": func(l *fixture, gitDir, dir string) {
			put(l.T, filepath.Join(gitDir, "info"), "exclude", "new.txt\n")
		},
		"assume-unchanged": func(l *fixture, gitDir, dir string) {
			l.gitIn(dir, "update-index", "--assume-unchanged", "a.txt")
		},
		"skip-worktree": func(l *fixture, gitDir, dir string) {
			l.gitIn(dir, "update-index", "--skip-worktree", "a.txt")
		},
		"line ends": func(l *fixture, gitDir, dir string) { l.git("config", "core.autocrlf", "input") },
		"a filter in the tree's attributes": func(l *fixture, gitDir, dir string) {
			l.git("config", "filter.evil.clean", "tr 1 2")
			put(l.T, dir, ".gitattributes", "* filter=evil\n")
		},
	}
	for i, name := range slices.Sorted(maps.Keys(poisons)) {
		poison := poisons[name]
		for j, workspace := range []string{"here", "worktree"} {
			if i%2 != j && !longtest.On() {
				continue // each in one of them; FERRUS_LONG runs both
			}
			t.Run(name+", "+workspace, func(t *testing.T) {
				t.Parallel()
				l := newFixture(t, workspace).startTask().work()
				put(t, l.in(), "crlf.txt", "a\r\nb\r\n")
				dir := l.in()
				poison(l, filepath.Join(l.Dir, ".git"), dir)
				l.approve()
				want := map[string]string{}
				for _, file := range []string{"a.txt", "new.txt", "crlf.txt"} {
					data, err := os.ReadFile(filepath.Join(dir, file))
					l.ok(err)
					want[file] = string(data)
				}
				if _, err := l.land(Options{}); err != nil {
					t.Fatal(err)
				}
				for file, text := range want {
					got, _, err := git.In(l.Dir).Run(t.Context(), nil, "cat-file", "blob", "main:"+file)
					if err != nil || got != text {
						t.Errorf("%s landed as %q, want the approved %q; error %v", file, got, text, err)
					}
				}
			})
		}
	}
}

// For a file that git LFS tracks, the checkout has its content and the commit its pointer.
func TestFilesOfLFSLandAsPointers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "here")
	const pointer = git.PointerPrefix +
		"oid sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881\nsize 1\n"
	put(t, l.Dir, ".gitattributes", "*.bin filter=lfs -text\n")
	put(t, l.Dir, "old.bin", pointer)
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "lfs")
	put(t, l.Dir, "old.bin", "x") // as the file's smudge filter writes it
	l.startTask().work()
	put(t, l.Dir, "new.bin", "content")
	l.approve()
	if _, err := l.land(Options{Changes: true}); err != nil {
		t.Fatal(err)
	}
	if got := l.git("cat-file", "blob", "main:old.bin"); got != strings.TrimSpace(pointer) {
		t.Errorf("old.bin landed as %q, want its pointer %q", got, pointer)
	}
	got := l.git("cat-file", "blob", "main:new.bin")
	oid := strings.TrimPrefix(strings.Split(got, "\n")[1], "oid sha256:")
	data, err := os.ReadFile(filepath.Join(l.Dir, ".git", "lfs", "objects", oid[:2], oid[2:4], oid))
	if err != nil || string(data) != "content" || !strings.HasSuffix(got, "\nsize 7") {
		t.Errorf("new.bin landed as %q with content %q, %v; want a pointer to 7 bytes", got, data, err)
	}
}

// The repository has a different object under the hash of an approved file.
func TestAForgedObjectDoesNotLand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	l := newFixture(t, "worktree").startTask().work()
	l.approve()
	before := l.git("rev-parse", "main")
	put(t, l.Dir, "evil", "evil\n")
	good, evil := l.gitIn(l.in(), "hash-object", "-w", "new.txt"), l.git("hash-object", "-w", "evil")
	l.ok(os.Remove(filepath.Join(l.Dir, "evil")))
	gittest.Forge(t, filepath.Join(l.Dir, ".git"), good, evil)
	if _, err := l.land(Options{}); err == nil || l.git("rev-parse", "main") != before {
		t.Errorf("got %v, want an error, and main unchanged", err)
	}
}

// In your sparse checkout some files are missing. Landing neither deletes nor restores them.
func TestASparseCheckoutLosesNothing(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for _, workspace := range []string{"here", "worktree"} {
		for _, mode := range []string{"--sparse-index", "--no-sparse-index"} {
			t.Run(workspace+mode, func(t *testing.T) {
				t.Parallel()
				l := newFixture(t, workspace)
				out := filepath.Join(l.Dir, "out")
				l.ok(os.MkdirAll(out, 0o700))
				l.main("out/big.txt", "big\n")
				l.git("sparse-checkout", "set", "--cone", mode, "in")
				if _, err := os.Stat(out); err == nil {
					t.Fatal("the checkout is not sparse")
				}
				l.startTask().work().approve()
				if _, err := l.land(Options{}); err != nil {
					t.Fatal(err)
				}
				if got := l.git("diff", "--name-status", "main~", "main"); got != "M\ta.txt\nD\tgone.txt\nA\tnew.txt" {
					t.Errorf("landed %q, want a.txt, gone.txt and new.txt", got)
				}
				if got := l.git("status", "--porcelain"); got != "" {
					t.Errorf("git status says %q, want a clean checkout", got)
				}
				if _, err := os.Stat(out); err == nil {
					t.Error("the landing restored a file that the sparse checkout omits")
				}
			})
		}
	}
}
