package git

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// indexed is a repository with an index, and a directory of objects in front of its own.
func indexed(t *testing.T, format string) (g Git, blobs []string) {
	t.Helper()
	dir := t.TempDir()
	g = In(dir)
	if err := g.Do(t.Context(), "init", "--quiet", "--object-format="+format); err != nil {
		t.Fatal(err)
	}
	objects := filepath.Join(dir, ".git", "objects")
	g.Index, g.Format = filepath.Join(dir, ".git", "index"), format
	g.Stores = []string{t.TempDir(), objects}
	return g, []string{object(t, g, "blob", "a"), object(t, g, "blob", "b")}
}

// writtenTree writes the tree of an index without git.
func writtenTree(g Git) (string, error) {
	x, err := readIndex(g.Index, g.Format)
	if err != nil {
		return "", err
	}
	root, err := g.writeTree(x.entries, x.trees())
	if err != nil {
		return "", err
	}
	return root.id, nil
}

// TestTreesAreWrittenAsByGit checks that, whatever changed since git noted the trees in the index,
// the tree is the one that git makes, and that git can read all of it.
func TestTreesAreWrittenAsByGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	for _, format := range []string{"sha1", "sha256"} {
		g, blobs := indexed(t, format)
		for range 5 {
			randomTree(t, g, random, blobs)
			blob := blobs[random.IntN(len(blobs))]
			change := fmt.Sprintf("100644 %s\td%d/e%d/new\n", blob, random.IntN(3), random.IntN(2)) +
				fmt.Sprintf("100644 %s\td.x\n0 %s\td0/f1\n", blob, strings.Repeat("0", len(blob)))
			if _, _, err := g.Run(t.Context(), strings.NewReader(change), "update-index", "--add", "--replace",
				"--index-info"); err != nil {
				t.Fatal(err)
			}
			got, err := writtenTree(g)
			if err != nil {
				t.Fatal(err)
			}
			read := g.With("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + g.Stores[0])
			if _, err := read.Output(t.Context(), "fsck", "--no-dangling", "--connectivity-only", got); err != nil {
				t.Errorf("git finds in tree %s: %v", got, err)
			}
			if want, err := g.Output(t.Context(), "write-tree", "--missing-ok"); err != nil || got != want {
				t.Fatalf("the tree is %s, not %s: %v", got, want, err)
			}
		}
	}
}

// TestTreeOfMissingObjectsIsGits checks that a tree that names a missing object is not written
// without git, and neither is one that is in the index but not among the objects.
func TestTreeOfMissingObjectsIsGits(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"blob", "tree"} {
		g, blobs := indexed(t, "sha1")
		change := func(blob, name string) {
			list := strings.NewReader("100644 " + blob + "\t" + name + "\n")
			if _, _, err := g.Run(t.Context(), list, "update-index", "--add", "--index-info"); err != nil {
				t.Fatal(err)
			}
		}
		change(blobs[0], "dir/a")
		tree, err := g.Output(t.Context(), "write-tree")
		if err != nil {
			t.Fatal(err)
		}
		inside, err := g.Output(t.Context(), "rev-parse", tree+":dir")
		if err != nil {
			t.Fatal(err)
		}
		change(blobs[1], "b")
		if _, err := writtenTree(g); err != nil {
			t.Fatal(err)
		}
		gone := map[string]string{"blob": blobs[1], "tree": inside}[lost]
		for _, dir := range g.Stores {
			if err := os.Remove(filepath.Join(dir, gone[:2], gone[2:])); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		change(blobs[0], "c") // the tree is another one
		written, err := writtenTree(g)
		if lost == "blob" && err == nil {
			t.Errorf("wrote tree %s without its blob", written)
		}
		if _, err := g.WriteTree(t.Context()); lost == "blob" && err == nil {
			t.Error("git writes a tree without its blob")
		} else if lost == "tree" && err != nil {
			t.Errorf("the tree that can be made again: %v", err)
		}
	}
}

// TestManyChangedEntriesAreGits checks that git is run for many changed entries, and notes their
// trees.
func TestManyChangedEntriesAreGits(t *testing.T) {
	t.Parallel()
	g, blobs := indexed(t, "sha1")
	var list strings.Builder
	for n := range writeCount + 1 {
		fmt.Fprintf(&list, "100644 %s\tdir/file%d\n", blobs[0], n)
	}
	if _, _, err := g.Run(t.Context(), strings.NewReader(list.String()), "update-index", "--add",
		"--index-info"); err != nil {
		t.Fatal(err)
	}
	if tree, err := writtenTree(g); err == nil {
		t.Errorf("tree %s of %d entries was written without git", tree, writeCount+1)
	}
	want, err := g.WriteTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := writtenTree(g); err != nil || got != want {
		t.Errorf("the tree that git noted is %s, not %s: %v", got, want, err)
	}
}
