package store

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// No file stays open. The test runs alone, because it counts what the process has open.
func TestNothingStaysOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it writes many states")
	}
	dir := map[string]string{"linux": "/proc/self/fd", "darwin": "/dev/fd"}[runtime.GOOS]
	count := func() int {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	d, project := newStore(t)
	use(d, project)
	before := count()
	for range 20 {
		use(d, project)
		ctx, cancel := context.WithCancel(context.Background())
		changed, err := d.Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		for range changed {
		}
	}
	for end := time.After(10 * time.Second); count() > before; { // the last watcher is closed beside
		select {
		case <-time.After(time.Millisecond):
		case <-end:
			t.Fatalf("%d are open, %d were", count(), before)
		}
	}
}

// Files and directories are accessible to their owner only.
func TestPermissions(t *testing.T) {
	t.Parallel()
	d, project := newStore(t)
	use(d, project)
	root, err := os.OpenRoot(d.root)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name := range snapshot(t, d.root) {
		info, err := root.Stat(name[1:])
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v, %v", name, info.Mode(), err)
		}
	}
	for _, name := range []string{".", "docs", "run", "archive/t-1/checks"} {
		info, err := root.Stat(name)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has %v, %v", name, info.Mode(), err)
		}
	}
}
