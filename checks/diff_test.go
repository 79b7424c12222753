package checks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDifferenceOfTwoTrees(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	long := strings.Repeat("line\n", 40)
	w.write("old name.txt", long)
	w.write("gone.txt", "one\n-- two\n")
	w.write("kind.txt", "file\n")
	w.write("hid.bin", "a\n")
	w.write("mode.sh", "x\n")
	w.write("picture.png", "PNG\x00one\n")
	w.write("odd\ttab \"q\" é.txt", "a\n")
	base := w.tree()
	w.do(os.Rename(filepath.Join(w.dir, "old name.txt"), filepath.Join(w.dir, "new name.txt")))
	w.do(os.Remove(filepath.Join(w.dir, "gone.txt")))
	w.do(os.Remove(filepath.Join(w.dir, "kind.txt")))
	w.do(os.Symlink("main.go", filepath.Join(w.dir, "kind.txt")))
	w.do(os.Chmod(filepath.Join(w.dir, "mode.sh"), 0o755))
	w.write("odd\ttab \"q\" é.txt", "a\n++ b\n")
	w.write("main.go", "package main\n\nfunc main() {}\n")
	w.write(".gitattributes", "*.bin binary\n*.go -diff\n")
	w.write("hid.bin", "b\n")
	w.do(os.Rename(filepath.Join(w.dir, "picture.png"), filepath.Join(w.dir, "photo.png")))
	w.write("icon.png", "PNG\x00other\n")
	now := w.tree()

	files, err := w.Files(t.Context(), base, now)
	w.do(err)
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSpace(fmt.Sprintf("%c %s %s", f.Status, f.Path, f.Old)))
		if f.Status == 'T' && f.Modes != [2]string{"100644", LinkMode} {
			t.Errorf("%s: the modes are %q, want a file that became a link", f.Path, f.Modes)
		}
	}
	texts, err := w.Texts(t.Context(), now, []string{"main.go", "kind.txt", "gone.txt"}, 7)
	if w.do(err); len(texts) != 1 || texts["main.go"] != "package" {
		t.Errorf("the texts are %q, want only main.go's", texts)
	}
	slices.Sort(names)
	want := []string{"A .gitattributes", "A icon.png", "D gone.txt", "M hid.bin", "M main.go", "M mode.sh",
		"M odd\ttab \"q\" é.txt", "R new name.txt old name.txt", "R photo.png picture.png", "T kind.txt"}
	if !slices.Equal(names, want) {
		t.Errorf("files\n got %q\nwant %q", names, want)
	}
	var lines []string
	w.do(w.Lines(t.Context(), base, now, func(l LineChange) {
		lines = append(lines, fmt.Sprintf("%s %v %d %s", l.Path, l.Added, l.Number, l.Text))
	}))
	slices.Sort(lines)
	want = []string{".gitattributes true 1 *.bin binary", ".gitattributes true 2 *.go -diff", "gone.txt false 1 one",
		"gone.txt false 2 -- two", "hid.bin false 1 a", "hid.bin true 1 b",
		"icon.png true 1 PNG\\u0000other", "kind.txt false 1 file",
		"kind.txt true 1 main.go", "main.go true 2 ", "main.go true 3 func main() {}",
		"odd\ttab \"q\" é.txt true 2 ++ b"}
	if !slices.Equal(lines, want) {
		t.Errorf("lines\n got %q\nwant %q", lines, want)
	}
	patch, err := w.Patch(t.Context(), base, now)
	w.do(err)
	for _, f := range patch {
		was := map[string]string{"new name.txt": "old name.txt", "photo.png": "picture.png"}[f.Path]
		if f.Was != was || f.Binary != (f.Path == "icon.png") || strings.Contains(f.Path, " b/") {
			t.Errorf("%q was %q, binary %v", f.Path, f.Was, f.Binary)
		}
		if f.Path == "gone.txt" && (f.Removed != 2 || f.Patch != "@@ -1,2 +0,0 @@\n-one\n--- two\n") || f.Cut {
			t.Errorf("the difference is %+v, want two lines removed", f)
		}
	}
	text, err := w.Content(t.Context(), base, "gone.txt", 100)
	if err != nil || text != "one\n-- two\n" {
		t.Errorf("the content is %q, %v; want both lines", text, err)
	}
	if _, err := w.Content(t.Context(), now, "gone.txt", 100); err == nil {
		t.Error("a file that is not there was read")
	}
	if prefix, err := w.Prefix(t.Context()); err != nil || prefix != "" {
		t.Errorf("the prefix is %q, %v; want none", prefix, err)
	}
	if _, err := w.Files(t.Context(), "", now); err == nil {
		t.Error("no tree was compared")
	}
}

func TestPatchSaysWhatItsLinesDoNotShow(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	for _, name := range []string{"run", "stop", "same", "link", "gone"} {
		w.write(name, "#!/bin/sh\n"+name+"\n")
	}
	w.do(os.Chmod(filepath.Join(w.dir, "stop"), 0o755))
	base := w.tree()
	w.do(os.Chmod(filepath.Join(w.dir, "run"), 0o755))
	w.do(os.Chmod(filepath.Join(w.dir, "stop"), 0o644))
	w.write("same", "changed\n")
	w.write("new", "unlike the others\n")
	w.do(os.Chmod(filepath.Join(w.dir, "new"), 0o755))
	w.write("picture", "a\x00b")
	w.do(os.Remove(filepath.Join(w.dir, "gone")))
	w.do(os.Symlink("same", filepath.Join(w.dir, "another")))
	patch, err := w.Patch(t.Context(), base, w.tree())
	w.do(err)
	got := map[string]string{}
	for _, f := range patch {
		got[f.Path] = fmt.Sprint(f.Mode, f.Binary)
	}
	want := map[string]string{"run": "now executablefalse", "stop": "no longer executablefalse", "same": "false",
		"new": "executablefalse", "picture": "true", "gone": "false", "another": "symbolic linkfalse"}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Lines that differ only in how they end do not read the same. Files that end all lines alike show no ends.
func TestPatchShowsMixedLineEnds(t *testing.T) {
	t.Parallel()
	const none = "\\ No newline at end of file\n"
	for name, c := range map[string]struct{ before, after, want string }{
		"mixed":        {"one\r\ntwo\r\n", "one\r\ntwo\n", " one\\r\n-two\\r\n+two\n"},
		"all of it":    {"one\n", "one\r\n", "-one\n+one\\r\n"},
		"Windows":      {"one\r\n", "two\r\n", "-one\n+two\n"},
		"no end":       {"one\r\ntwo", "one\r\nno", " one\n-two\n" + none + "+no\n" + none},
		"others' ends": {"one\n", "two\n", "-one\n+two\n"},
	} {
		w := newWork(t)
		w.write("a.txt", c.before)
		base := w.tree()
		w.write("a.txt", c.after)
		patch, err := w.Patch(t.Context(), base, w.tree())
		if w.do(err); len(patch) != 1 {
			t.Fatalf("%s: %+v", name, patch)
		}
		_, got, _ := strings.Cut(patch[0].Patch, "\n")
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPatchIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it reads or writes large files")
	}
	w := newWork(t)
	base := w.tree()
	for i := range 20 {
		w.write(fmt.Sprintf("f%02d.txt", i), strings.Repeat(strings.Repeat("x", 99)+"\n", 1000))
	}
	w.write("long.txt", strings.Repeat("y", 1<<20))
	patch, err := w.Patch(t.Context(), base, w.tree())
	w.do(err)
	size := 0
	for _, f := range patch {
		size += len(f.Patch)
		if !f.Cut && f.Path != "long.txt" || f.Path != "long.txt" && f.Added != 1000 || len(f.Patch) > patchFileBytes {
			t.Errorf("%s: cut %v, %d added, %d bytes", f.Path, f.Cut, f.Added, len(f.Patch))
		}
	}
	if len(patch) != 21 || size > patchBytes {
		t.Errorf("%d files, %d bytes", len(patch), size)
	}
}

func TestProgramsOnPath(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	bin := filepath.Join(w.dir, "bin")
	w.write("bin/go", "#!/bin/sh\n")
	w.write("bin/data", "x")
	w.do(os.Chmod(filepath.Join(bin, "go"), 0o755))
	path := "bin:" + bin + ":" + os.Getenv("PATH")
	got := Programs(path, commands("CI=1 go test ./... | data; bin/go"))
	first := got[filepath.Join(bin, "go")]
	if first == "" || got[filepath.Join(bin, "data")] != "" {
		t.Errorf("the programs are %v, want the first one without data", got)
	}
	for _, other := range []string{"#!/bin/su\n", "#!/bin/sh\nexit 0\n"} { // the first is as long
		w.write("bin/go", other)
		if got = Programs(path, commands("go vet")); got[filepath.Join(bin, "go")] == first || len(got) != 1 {
			t.Errorf("the programs are %v, want a changed go", got)
		}
	}
	if got = Programs(path, commands("go vet"), w.dir); got[filepath.Join(bin, "go")] != "" {
		t.Errorf("the programs are %v, want none in the tree", got)
	}
	record, _ := start(t, Options{Dir: w.dir, Env: []string{"PATH=bin:.::" + os.Getenv("PATH")},
		Commands: commands(`case ":$PATH:" in *:bin:*|*:.:*|*::*) exit 1;; esac`)})
	if record.Verdict != Pass {
		t.Errorf("a relative PATH reached the commands: %s", record.Why)
	}
}

// The text of a line that an interpreter reads is shown, whatever a terminal makes of it.
func TestLinesShowWhatIsRead(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it makes many calls")
	}
	w := newWork(t)
	base := w.tree()
	for name, c := range map[string]struct{ line, text, odd string }{
		"plain":       {"x\ty", "x\ty", ""},
		"windows":     {"x\r", "x", ""},
		"overwritten": {"evil()\r# fine", "evil()|# fine", oddHidden},
		"separator":   {"// fine\u2028evil()", "// fine|evil()", oddHidden},
		"sequence":    {"/*\x1b]0;*/evil()/*\x07*/", `/*\u001b]0;*/evil()/*\u0007*/`, oddHidden},
		"reordered":   {"a\u202eb", `a\u202eb`, oddHidden},
		"invisible":   {"a\u200bb", `a\u200bb`, oddHidden},
		"no letter":   {"const {a,\u3164} = q", `const {a,\u3164} = q`, oddHidden},
		"joined":      {"x = '👩\u200d💻'", "x = '👩\\u200d💻'", ""},
		"wide":        {strings.Repeat(" ", 5000) + "evil()", strings.Repeat(" ", 5000) + "evil()", ""},
	} {
		w.write("a.py", c.line+"\n")
		var texts []string
		odd := ""
		w.do(w.Lines(t.Context(), base, w.tree(), func(l LineChange) {
			texts, odd = append(texts, l.Text), l.Odd
		}))
		if got := strings.Join(texts, "|"); got != c.text || odd != c.odd {
			t.Errorf("%s: %q, %q; want %q", name, got, odd, c.text)
		}
	}
	w.write("a.py", strings.Repeat(" ", 70_000)+"evil()\n")
	now := w.tree()
	w.do(w.Lines(t.Context(), base, now, func(l LineChange) {
		if l.Odd != oddLong {
			t.Errorf("l.Odd is %v, want %v", l.Odd, oddLong)
		}
	}))
	patch, err := w.Patch(t.Context(), base, now)
	if w.do(err); len(patch) != 1 || !strings.HasSuffix(patch[0].Patch, " more bytes)\n") {
		t.Errorf("the patch is %+v, want one that is cut", patch)
	}
}

// A repository that is held answers several questions, even two at a time, and lets others in after
// its release.
func TestAHeldRepository(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	w := newWork(t)
	w.write("a.txt", "one\n")
	before := w.tree()
	w.write("a.txt", "two\n")
	after := w.tree()
	held, release, err := w.Hold(t.Context())
	w.do(err)
	read, stop := held.StartLines(t.Context(), before, after)
	files, err := held.Files(t.Context(), before, after)
	if err != nil || len(files) != 1 || files[0].Path != "a.txt" {
		t.Errorf("the files are %+v, %v; want a.txt", files, err)
	}
	var lines []string
	w.do(read(func(l LineChange) { lines = append(lines, fmt.Sprint(l.Path, l.Number, l.Added, l.Text)) }))
	stop()
	if want := []string{"a.txt1 falseone", "a.txt1 truetwo"}; !slices.Equal(lines, want) {
		t.Errorf("lines: %q, want %q", lines, want)
	}
	_, stop = held.StartLines(t.Context(), before, after) // they are not read
	stop()
	read, stop = held.StartLines(t.Context(), "--output=x", after)
	if read(nil) == nil {
		t.Error("an option was compared")
	}
	stop()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Files(ended, before, after); !errors.Is(err, context.Canceled) {
		t.Errorf("another question did not wait: %v", err)
	}
	release()
	if _, err := w.Files(t.Context(), before, after); err != nil {
		t.Errorf("after the release: %v", err)
	}
}
