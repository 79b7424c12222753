package store

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"
)

func TestClaimIsForOne(t *testing.T) {
	t.Parallel()
	d, err := Create(t.Context(), t.TempDir(), struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	var first atomic.Int32
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			switch err := d.MkdirExclusive("runs/p-1"); {
			case err == nil:
				first.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if first.Load() != 1 {
		t.Errorf("%d were first", first.Load())
	}
	for _, name := range []string{"../x", "docs/x", "a b", ""} {
		if d.MkdirExclusive(name) == nil {
			t.Errorf("%q was claimed", name)
		}
	}
}
