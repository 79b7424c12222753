package checks

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzCount gives the counter of tests any output: it never panics, and counts no
// less than nothing.
func FuzzCount(f *testing.F) {
	files, err := filepath.Glob("testdata/counts/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c counter
		for line := range bytes.Lines(text) {
			if plain, ok := worthCounting(bytes.TrimSuffix(line, []byte("\n"))); ok {
				c.countLine(plain)
			}
		}
		for _, one := range c.tools {
			if one.Passed < 0 || one.Failed < 0 || one.Ran() < 0 {
				t.Errorf("the tests are %+v, want no negative counts", one)
			}
			_ = one.String()
		}
	})
}

// FuzzPatch gives the reader of patches what git might print, and any names: it
// never panics, and the lines it finds are lines that came.
func FuzzPatch(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +3 @@ f\n-old\n+new\n same\n\\ No newline at end of file\n")
	f.Add("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nrename from x\nrename to \"y\\ty\"\n")
	f.Add("diff --git \n--- \n+++ \"\n@@ - + @@\n@@ @@\n+++ /dev/null\n+")
	f.Add("@@ -99999999999999999999 +-1 @@\n+x\n-y")
	f.Fuzz(func(t *testing.T, text string) {
		r, came := patchReader{}, map[byte]int{}
		r.show = func(line patchLine) {
			if line.mark != 0 && line.mark != line.text[0] {
				t.Errorf("%q is marked %q", line.text, line.mark)
			}
			came[line.mark]++
			var file FilePatch
			if took := file.add(line, 100); took > 100 || took != len(file.Patch) {
				t.Errorf("%d bytes of 100", took)
			}
		}
		lines := 0
		for line := range bytes.Lines([]byte(text)) {
			r.readLine(bytes.TrimSuffix(line, newline))
			problem(string(line))
			lines++
		}
		if came['+']+came['-'] > lines {
			t.Errorf("%d lines came, and %v", lines, came)
		}
		if name := unquoted(text); len(name) > 3*len(text) { // a byte that is no text becomes a sign of three
			t.Errorf("%q is named %q", text, name)
		}
		ShellWords(text)
	})
}
