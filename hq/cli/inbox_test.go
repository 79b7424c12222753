package cli

import (
	"syscall"
	"testing"
)

// A disk without blocks or files for users is full, and one that counts no files is not.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		blocks, available, files, free uint64
		full                           bool
	}{
		{100, 0, 100, 50, true}, {100, 1, 100, 0, true},
		{100, 1, 100, 1, false}, {100, 1, 0, 0, false}, {0, 0, 0, 0, false},
	} {
		var s syscall.Statfs_t
		s.Blocks, s.Bavail, s.Files, s.Ffree = c.blocks, c.available, c.files, c.free
		if isFull(s) != c.full {
			t.Errorf("%+v", c)
		}
	}
	if got := diskProblem(t.TempDir() + "/missing"); got != "" {
		t.Errorf("a disk that cannot be read: %q", got)
	}
}
