package store

import (
	"os"
	"testing"
)

// TestRemoveOfNothingChangesNoHash covers a server that ends: it removes a directive that most
// sessions never got.
func TestRemoveOfNothingChangesNoHash(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	update(t, d, Call{}, step)
	written := func() os.FileInfo {
		t.Helper()
		info, err := os.Stat(d.Path(sumsName))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	if err := d.WriteFile("run/a.in", []byte("continue")); err != nil {
		t.Fatal(err)
	}
	before := written()
	if err := d.Remove("run/b.in", "run/c.json"); err != nil || !os.SameFile(before, written()) {
		t.Errorf("the removal of nothing replaced the hashes, %v", err)
	}
	if err := d.Remove("run/a.in"); err != nil || os.SameFile(before, written()) {
		t.Errorf("the removal of a file left its hash, %v", err)
	}
	if err := d.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
