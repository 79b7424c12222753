package checks

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestFilesAreThoseOfGit: without renames the files are what git finds, in its order.
func TestFilesAreThoseOfGit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs git many times")
	}
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	w := newWork(t)
	name := func() string {
		return fmt.Sprintf("d%d%s/f%d", random.IntN(3), []string{"", ".x", "/e"}[random.IntN(3)], random.IntN(4))
	}
	trees := []string{w.tree()}
	for n := range 6 {
		for range 1 + random.IntN(6) {
			at := filepath.Join(w.dir, name())
			if n%2 == 1 { // a tree whose files only go
				w.do(os.RemoveAll(at))
				continue
			}
			w.do(os.RemoveAll(at))
			w.do(os.MkdirAll(filepath.Dir(at), 0o755))
			switch random.IntN(3) {
			case 0:
				w.do(os.Symlink("there", at))
			default:
				w.do(os.WriteFile(at, fmt.Append(nil, random.IntN(1000)), 0o644))
				w.do(os.Chmod(at, []os.FileMode{0o644, 0o755}[random.IntN(2)]))
			}
		}
		trees = append(trees, w.tree())
	}
	p, err := w.open(t.Context())
	w.do(err)
	defer p.close()
	compared := 0
	for _, a := range trees {
		for _, b := range trees {
			got, err := p.files(t.Context(), a, b)
			w.do(err)
			if mayRename(got) {
				continue
			}
			want, err := p.filesByGit(t.Context(), a, b)
			if w.do(err); !slices.Equal(got, want) {
				t.Errorf("%s and %s differ in\n%+v\nnot in\n%+v", a, b, got, want)
			}
			compared++
		}
	}
	if compared <= len(trees) {
		t.Errorf("compared %d pairs", compared)
	}
}
