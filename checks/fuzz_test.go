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
			c.raw(bytes.TrimSuffix(line, []byte("\n")))
		}
		for _, one := range c.tools {
			if one.Passed < 0 || one.Failed < 0 || one.Ran() < 0 {
				t.Errorf("%+v", one)
			}
			_ = one.String()
		}
	})
}
