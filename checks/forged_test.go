package checks

import (
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
	gittest.ForgePacked(t, w.dir+"/.git", w.blob(evil), good)
	gittest.ForgePacked(t, w.dir+"/.git", w.blob(plain), good)
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
