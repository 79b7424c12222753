package git

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// randomTree puts files into the index of a repository and returns the tree that they make.
func randomTree(t *testing.T, g Git, random *rand.Rand, blobs []string) string {
	t.Helper()
	var list strings.Builder
	list.WriteString("0 " + strings.Repeat("0", len(blobs[0])) + "\tgone\n")
	for range random.IntN(30) {
		name := fmt.Sprintf("d%d/", random.IntN(3))
		for random.IntN(2) == 0 {
			name += fmt.Sprintf("e%d%s/", random.IntN(2), strings.Repeat(".x", random.IntN(2)))
		}
		name += strings.Repeat("long", random.IntN(2)*random.IntN(1100)) + fmt.Sprintf("f%d", random.IntN(20))
		mode := []string{"100644", "100755", "120000", "160000"}[random.IntN(4)]
		fmt.Fprintf(&list, "%s %s\t%s\n", mode, blobs[random.IntN(len(blobs))], name)
	}
	if random.IntN(2) == 0 {
		if err := g.Do(t.Context(), "read-tree", "--empty"); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := g.Run(t.Context(), strings.NewReader(list.String()), "update-index", "--add", "--replace",
		"--index-info"); err != nil {
		t.Fatal(err)
	}
	tree, err := g.Output(t.Context(), "write-tree", "--missing-ok")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// indexOf lists an index.
func indexOf(t *testing.T, g Git) (all []TreeEntry) {
	t.Helper()
	if err := g.EachEntry(t.Context(), func(e TreeEntry) { all = append(all, e) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWithoutGitIsAsWithGit checks that reading and writing without git gives what git gives, in
// every version of the index and in both hash formats.
func TestWithoutGitIsAsWithGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	for _, format := range []string{"sha1", "sha256"} {
		dir := t.TempDir()
		g := In(dir)
		if err := g.Do(t.Context(), "init", "--quiet", "--object-format="+format); err != nil {
			t.Fatal(err)
		}
		blobs := []string{object(t, g, "blob", "a"), object(t, g, "blob", "b")}
		last := EmptyTree(format)
		for i := range 6 {
			for _, set := range [][]string{{"config", "index.version", fmt.Sprint(2 + i%3)},
				{"update-index", "--force-write-index", "--index-version", fmt.Sprint(2 + i%3)}} {
				if err := g.Do(t.Context(), set...); err != nil {
					t.Fatal(err)
				}
			}
			tree := randomTree(t, g, random, blobs)
			index := filepath.Join(dir, ".git", "index")
			want := indexOf(t, g)
			x, err := readIndex(index, format)
			if err != nil || !slices.Equal(x.entries, want) || x.tree() != tree {
				t.Fatalf("version %d: the index has %d entries of tree %s, not %d of %s: %v", 2+i%3, len(x.entries),
					x.tree(), len(want), tree, err)
			}
			compareDiffs(t, g, dir, last, tree)
			compareWritten(t, g, dir, tree, want)
			last = tree
		}
	}
}

// compareDiffs compares [Git.DiffTrees] with what git says.
func compareDiffs(t *testing.T, g Git, dir, a, b string) {
	t.Helper()
	g.Stores = []string{filepath.Join(dir, ".git", "objects")}
	var got []string
	err := g.DiffTrees(t.Context(), a, b, func(before, after TreeEntry) {
		null := strings.Repeat("0", len(a))
		for _, e := range []*TreeEntry{&before, &after} {
			if e.ID == "" {
				e.ID = null
			}
		}
		got = append(got, fmt.Sprintf(":%06o %06o %s %s %s", before.Mode, after.Mode, before.ID, after.ID, after.Path))
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	parts, err := g.List(t.Context(), "diff-tree", "-r", "--raw", "--no-renames", "-z", a, b)
	for part := range slices.Chunk(parts, 2) {
		want = append(want, part[0][:strings.LastIndex(part[0], " ")]+" "+part[1])
	}
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("the trees %s and %s differ by\n%s\nnot by\n%s\n%v", a, b, strings.Join(got, "\n"),
			strings.Join(want, "\n"), err)
	}
}

// compareWritten has git read an index that was written here.
func compareWritten(t *testing.T, g Git, dir, tree string, entries []TreeEntry) {
	t.Helper()
	name := filepath.Join(dir, "written.index")
	index, err := EncodeIndex(tree, entries)
	if err == nil {
		err = os.WriteFile(name, index, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	other := g.With("GIT_INDEX_FILE=" + name)
	got, err := other.Output(t.Context(), "write-tree", "--missing-ok")
	if have := indexOf(t, other); err != nil || got != tree || !slices.Equal(have, entries) {
		t.Fatalf("git reads %d entries of tree %s, not %d of %s: %v", len(have), got, len(entries), tree, err)
	}
}

// TestUnreadableIndexIsGits checks that an index that is cut short, has stages or is newer is left
// to git.
func TestUnreadableIndexIsGits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := In(dir)
	if err := g.Do(t.Context(), "init", "--quiet"); err != nil {
		t.Fatal(err)
	}
	blob := object(t, g, "blob", "a")
	stage := func(list string) []byte {
		_, _, failed := g.Run(t.Context(), strings.NewReader(list), "update-index", "--add", "--index-info")
		if failed != nil {
			t.Fatalf("naming the tree failed: %v", failed)
		}
		data, err := os.ReadFile(filepath.Join(dir, ".git", "index"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole := stage("100644 " + blob + " 0\ta\n100644 " + blob + " 0\tdir/b\n")
	at := filepath.Join(dir, "index")
	refused := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(at, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if x, err := readIndex(at, "sha1"); err == nil {
			t.Errorf("an index that is %s has %v", what, x)
		}
	}
	for n := range len(whole) - 20 {
		if n != 12+72+72 { // that is an index without extensions, and with another end
			refused(fmt.Sprint("cut at ", n), append(slices.Clone(whole[:n]), whole[len(whole)-20:]...))
		}
	}
	newer := slices.Clone(whole)
	newer[7] = 5
	refused("newer", newer)
	refused("split", append(append(slices.Clone(whole[:len(whole)-20]), "link\x00\x00\x00\x00"...), whole[:20]...))
	refused("in conflict", stage("100644 "+blob+" 1\tc\n100644 "+blob+" 2\tc\n"))
}

// TestRefsAreTheRepositorys checks that branches, tags and remotes are the same as git lists,
// packed or not.
func TestRefsAreTheRepositorys(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	g := In(dir)
	do := func(args ...string) {
		t.Helper()
		if err := g.Do(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	do("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--allow-empty", "-m", "one")
	compare := func() {
		t.Helper()
		r, err := Locate(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.refFiles(); !ok {
			t.Error("the refs are not read without git")
		}
		got, err := r.PackedRefs(t.Context())
		want, wrong := g.Output(t.Context(), append([]string{"for-each-ref", "--format=%(objectname) %(refname)"},
			refKinds...)...)
		if err := errors.Join(err, wrong); err != nil || got != want+"\n" {
			t.Errorf("refs are\n%s\nnot\n%s\n%v", got, want, err)
		}
	}
	compare()
	do("update-ref", "refs/remotes/origin/main", "HEAD")
	do("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	do("-c", "user.name=t", "-c", "user.email=t@localhost", "tag", "-a", "-m", "v1", "v1")
	do("branch", "feature/one")
	compare()
	do("pack-refs", "--all")
	compare()
	do("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--allow-empty", "-m", "two")
	do("branch", "-D", "feature/one")
	compare()
}

// TestForgedLooseObjectIsNotRead checks that a file whose content does not match its name is not
// read if a pack has the right object, and is an error otherwise.
func TestForgedLooseObjectIsNotRead(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	g := In(dir)
	objects := filepath.Join(dir, ".git", "objects")
	other, err := WriteObject(objects, EmptyTree("sha1"), "blob", []byte("other"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := g.Output(t.Context(), "cat-file", "blob", other); err != nil || text != "other" {
		t.Fatalf("git reads %q, %v", text, err)
	}
	g.Stores = []string{objects}
	id := object(t, g, "blob", "right")
	read := func() (string, error) {
		text, err := g.Object(t.Context(), "blob", id)
		return string(text), err
	}
	forged, err := os.ReadFile(filepath.Join(objects, other[:2], other[2:]))
	file := filepath.Join(objects, id[:2], id[2:])
	forge := func() {
		if err := errors.Join(err, os.Remove(file), os.WriteFile(file, forged, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	forge()
	if text, err := read(); !errors.Is(err, ErrDamaged) {
		t.Errorf("the forged object is %q, %v", text, err)
	}
	if err := errors.Join(os.Remove(file)); err != nil {
		t.Fatal(err)
	}
	id = object(t, g, "blob", "right")
	if _, _, err := g.Run(t.Context(), strings.NewReader(id+"\n"), "pack-objects", "-q",
		filepath.Join(objects, "pack", "pack")); err != nil {
		t.Fatal(err)
	}
	forge()
	if text, err := read(); text != "right" {
		t.Errorf("beside a pack, the forged object is %q, %v", text, err)
	}
	o, err := g.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if err := o.Read(io.Discard, "blob", id); err == nil {
		t.Error("an object is read without a request")
	}
}
