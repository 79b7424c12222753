package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRender gives every renderer any output, cut anywhere: it never panics, and
// what reaches the screen is bounded by what came.
func FuzzRender(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		stream, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(stream) {
			f.Add(line, 7)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut int) {
		cut = min(max(cut, 0), len(stream))
		for _, name := range Names() {
			a, err := Lookup(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newStage(a.Renderer())
			n := len(s.feed(stream[:cut])) + len(s.feed(stream[cut:])) + len(s.close())
			if n > 64*len(stream)+4096 {
				t.Errorf("%s makes %d bytes of %d", name, n, len(stream))
			}
		}
	})
}
