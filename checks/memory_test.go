package checks

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mapped returns the memory through which a program changes a file: from its second change on, the file
// keeps its times.
func (w *work) mapped(name string) []byte {
	w.Helper()
	file, err := os.OpenFile(filepath.Join(w.dir, name), os.O_RDWR, 0)
	w.do(err)
	defer file.Close()
	info, err := file.Stat()
	w.do(err)
	memory, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	w.do(err)
	w.Cleanup(func() { w.do(unix.Munmap(memory)) })
	return memory
}

// age waits until the clock of the file system is past the last change of a file, and makes the file look older than
// every index, which git trusts then.
func (w *work) age(name string) {
	w.Helper()
	name = filepath.Join(w.dir, name)
	old := time.Now().Add(-time.Hour)
	w.do(os.Chtimes(name, old, old))
	var changed, now unix.Stat_t
	w.do(unix.Stat(name, &changed))
	for probe := filepath.Join(w.TempDir(), "probe"); now.Ctim.Nano() <= changed.Ctim.Nano(); {
		w.do(os.WriteFile(probe, nil, 0o600))
		w.do(unix.Stat(probe, &now))
	}
}

// A file that was changed back through memory, with the same times, does not replace the tree's in a comparison.
func TestComparisonsDoNotReadTheWorktree(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	w.write("x.txt", "good\n")
	base := w.tree()
	memory := w.mapped("x.txt")
	copy(memory, "evil")
	w.age("x.txt")
	evil := w.tree()
	copy(memory, "good")
	patch, err := w.Patch(t.Context(), base, evil)
	w.do(err)
	if len(patch) != 1 || !strings.Contains(patch[0].Patch, "+evil") {
		t.Errorf("the patch is %+v, want the line that the tree has", patch)
	}
	var lines []string
	w.do(w.Lines(t.Context(), base, evil, func(l LineChange) { lines = append(lines, l.Text) }))
	if strings.Join(lines, " ") != "good evil" {
		t.Errorf("the lines are %q, want those of the trees", lines)
	}
	for _, union := range [][]string{nil, {"other.txt"}} {
		same, err := w.SamePatch(t.Context(), [2]string{base, base}, [2]string{base, evil}, union)
		if w.do(err); same {
			t.Errorf("the patch of %q is named like none", union)
		}
	}
}

// A decision is about the files as they are, whatever their times.
func TestRereadFindsWhatTimesHide(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	w.write("x.txt", "good\n")
	tree := func(read func(context.Context) (Tree, error)) string { // as the index has it, unlike [work.tree]
		w.Helper()
		is, err := read(t.Context())
		w.do(err)
		return is.Hash
	}
	good := tree(w.Tree)
	memory := w.mapped("x.txt")
	copy(memory, "evil")
	w.age("x.txt")
	evil := tree(w.Tree)
	if again := tree(w.Tree); again != evil { // from here on the times count
		t.Fatalf("the tree is %s and then %s", evil, again)
	}
	copy(memory, "good")
	if tree(w.Tree) != evil {
		t.Fatal("the change was found by the file's times, so the test proves nothing")
	}
	if now := tree(w.Reread); now != good || tree(w.Tree) != good {
		t.Errorf("the tree is %s, want %s, which has the file as it is", now, good)
	}
	w.do(os.Remove(filepath.Join(w.dir, "x.txt")))
	if now := tree(w.Reread); now == good || now != tree(w.Tree) {
		t.Errorf("the tree without the file is %s", now)
	}
}
