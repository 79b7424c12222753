package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Several processes may remove the same tree at the same time, as two that free the files of a past task do.
func TestRemoveAllAtTheSameTime(t *testing.T) {
	t.Parallel()
	const removers, rounds = 4, 15
	for range rounds {
		dir := filepath.Join(t.TempDir(), "tree")
		for n := range 30 {
			if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint(n), "a", "b"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		errs := make([]error, removers)
		for i := range errs {
			all.Go(func() { errs[i] = RemoveAll(dir) })
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
