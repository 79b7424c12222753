package git

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// object writes an object, whatever it holds.
func object(t *testing.T, g Git, kind, content string) string {
	t.Helper()
	id, _, err := g.Run(t.Context(), strings.NewReader(content), "hash-object", "-w", "-t", kind,
		"--literally", "--stdin")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(id)
}

// TestReadOfAKilledGit checks that the end of the context ends git, and that Read says so.
func TestReadOfAKilledGit(t *testing.T) {
	t.Parallel()
	g := In(repository(t))
	id := object(t, g, "blob", "x")
	ctx, cancel := context.WithCancel(t.Context())
	o, err := g.Objects(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	o.Ask([]string{id})
	for err == nil { // it may have answered before
		if err = o.Read(io.Discard, "blob", id); err == nil {
			o.Ask([]string{id})
		}
	}
	o.Close()
}

func TestTreeListsWhatItsObjectsSay(t *testing.T) {
	t.Parallel()
	g := In(repository(t))
	blob := object(t, g, "blob", "x")
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(mode, name string) string { return mode + " " + name + "\x00" + string(raw) }
	inner := object(t, g, "tree", entry("100644", "z"))
	innerRaw, _ := hex.DecodeString(inner)
	tree := object(t, g, "tree", entry("100664", "group")+entry("100755", "run")+entry("120000", "link")+
		entry("160000", "sub")+"40000 dir\x00"+string(innerRaw)+"40000 dir2\x00"+string(innerRaw))
	got, err := g.Tree(t.Context(), tree)
	want := []TreeEntry{
		{ModeFile, blob, "dir/z"}, {ModeFile, blob, "dir2/z"}, {ModeFile, blob, "group"}, {ModeLink, blob, "link"},
		{ModeExecutable, blob, "run"}, {ModeSubmodule, blob, "sub"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, content := range []string{
		"100644 a", "100644 a\x00short", "100644\x00" + string(raw), entry("10x", "a"), entry("060000", "a"),
		entry("100644", "a/b"), entry("100644", ""),
	} {
		if _, err := g.Tree(t.Context(), object(t, g, "tree", content)); !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %v, want ErrDamaged", content, err)
		}
	}
	for _, id := range []string{"", "HEAD", "-x", strings.Repeat("0", 40), blob} {
		if _, err := g.Tree(t.Context(), id); err == nil {
			t.Errorf("%q is a tree", id)
		}
	}
}

// A few trees that each name the next one twice would list more files than fit into memory.
func TestTreeIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	g := In(repository(t))
	raw, _ := hex.DecodeString(object(t, g, "blob", "x"))
	id := object(t, g, "tree", "100644 x\x00"+string(raw))
	for range 40 {
		raw, _ := hex.DecodeString(id)
		id = object(t, g, "tree", "40000 a\x00"+string(raw)+"40000 b\x00"+string(raw))
	}
	if _, err := g.Tree(t.Context(), id); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

// Each tree is seen one level below the first, too, and yet they are that deep.
func TestTreeIsNotTooDeep(t *testing.T) {
	t.Parallel()
	trees, id := treeObjects{"0": {}}, "0"
	for n := range maxDepth + 1 {
		below := id
		id = strconv.Itoa(n + 1)
		trees[id] = []TreeEntry{{Mode: modeDirectory, ID: below, Path: "a"}, {Mode: modeDirectory, ID: "0", Path: "b"}}
	}
	if got := trees.measure(id, map[string]treeSize{}); got.depth != maxDepth+1 || got.entries != 2*(maxDepth+1) {
		t.Errorf("measured %+v, want depth %d and %d entries", got, maxDepth+1, 2*(maxDepth+1))
	}
}
