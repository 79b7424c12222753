package checks

import (
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"ferrus/checks/git"
	"ferrus/checks/git/gittest"
)

// A program can put another content under the name of an object, in a pack: git takes an object from there first, and
// does not compare it with its name. What rules and reviewers read of a tree, and what it becomes in a merge, is not
// changed by that.
func TestForgedObjectsAreNotRead(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	const plain, evil, good = "1\n2\n3\n4\n5\n", "evil\n2\n3\n4\n5\n", "good\n2\n3\n4\n5\n"
	var trees []string
	for _, text := range []string{plain, evil, "1\n2\n3\n4\nfive\n"} {
		w.write("a.txt", text)
		trees = append(trees, w.tree())
	}
	base, work, other := trees[0], trees[1], trees[2]
	gittest.ForgePacked(t, w.dir+"/.git", "blob", w.blob(evil), good)
	gittest.ForgePacked(t, w.dir+"/.git", "blob", w.blob(plain), good)
	patch, err := w.Patch(t.Context(), base, work)
	w.do(err)
	if len(patch) != 1 || !strings.Contains(patch[0].Patch, "-1\n+evil\n") {
		t.Errorf("the patch is %+v", patch)
	}
	if text, err := w.Content(t.Context(), work, "a.txt", 100); err != nil || text != evil {
		t.Errorf("the content is %q, %v", text, err)
	}
	same, err := w.SamePatch(t.Context(), [2]string{base, work}, [2]string{base, base}, nil)
	if w.do(err); same {
		t.Error("the patch counts as none")
	}
	m, err := w.Merge(t.Context(), base, work, other)
	w.do(err)
	if text, err := w.Content(t.Context(), m.Tree, "a.txt", 100); err != nil || text != "evil\n2\n3\n4\nfive\n" {
		t.Errorf("a merge makes %q, %v", text, err)
	}
}

// blob returns the name of a content.
func (w *work) blob(content string) string {
	w.Helper()
	return git.Hash(w.git("rev-parse", "HEAD"), "blob", []byte(content))
}

// What lands is compared with its name, whatever a program writes into the repository as the tree of the branch.
func TestForgedTreeOfTheBranchHidesNoFile(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	base := w.git("rev-parse", "HEAD^{tree}")
	const good, evil = "good\n", "evil\n"
	w.write("new.txt", good)
	tree := w.tree()
	gittest.ForgePacked(t, w.dir+"/.git", "blob", w.blob(good), evil)
	gittest.ForgePacked(t, w.dir+"/.git", "tree", base, entryOf(t, "new.txt", w.blob(good)))
	if _, err := w.Stored(t.Context(), tree, base); err == nil {
		t.Error("a tree with a forged file was stored")
	}
}

// A tree with other files under some of its names has no files that a program wrote into the repository.
func TestForgedTreesAreNotEdited(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	w.write("a.txt", "1\n")
	w.write("lib/b.txt", "2\n")
	tree := w.tree()
	gittest.ForgePacked(t, w.dir+"/.git", "tree", tree, entryOf(t, "evil.txt", w.blob("2\n")))
	got, err := w.Edit(t.Context(), tree, []Edit{
		{Path: "lib/b.txt"}, {Path: "a.txt", Mode: git.ModeFile, Content: []byte("3\n")},
		{Path: "c/d/e.txt", Mode: git.ModeExecutable, Content: []byte("4\n")},
	})
	w.do(err)
	w.write("a.txt", "3\n")
	w.do(os.Remove(w.dir + "/lib/b.txt"))
	w.write("c/d/e.txt", "4\n")
	w.do(os.Chmod(w.dir+"/c/d/e.txt", 0o755))
	if want := w.tree(); got != want {
		t.Errorf("an edit makes %s, want %s", got, want)
	}
}

// A program cannot hide that a file mentions a word.
func TestForgedFileMentionsTheSame(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	const text = "uses helper.go here, and not unhelper\n"
	w.write("a.txt", text)
	w.write("b.bin", "helper.go\x00")
	w.write("c.txt", "unhelper helper_go")
	tree := w.tree()
	gittest.ForgePacked(t, w.dir+"/.git", "blob", w.blob(text), "nothing")
	var got []string
	w.do(w.Mentions(t.Context(), tree, []string{"helper.go", "helper", "unhelp", "here"}, func(file, word string) {
		got = append(got, file+" "+word)
	}))
	if want := []string{"a.txt helper", "a.txt helper.go", "a.txt here"}; !slices.Equal(got, want) {
		t.Errorf("it mentions %q, want %q", got, want)
	}
}

// entryOf returns a tree with one file.
func entryOf(t *testing.T, name, id string) string {
	t.Helper()
	raw, err := hex.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	return "100644 " + name + "\x00" + string(raw)
}

// A program cannot have a file land as a pointer of Git LFS by other attributes than those of the tree.
func TestForgedAttributesConvertNothing(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	const attributes = "*.md text\n"
	w.write(".gitattributes", attributes)
	w.git("add", ".gitattributes")
	w.git("commit", "-qm", "attributes")
	w.write("new.txt", "new\n")
	tree := w.tree()
	gittest.ForgePacked(t, w.dir+"/.git", "blob", w.blob(attributes), "*.txt filter=lfs\n")
	base := w.git("rev-parse", "HEAD^{tree}")
	if got, err := w.Stored(t.Context(), tree, base); err != nil || got != tree {
		t.Errorf("%s lands, %v, want %s", got, err, tree)
	}
}
