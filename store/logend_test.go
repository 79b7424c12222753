package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A journal that something made huge by a hole (truncate -s 20G) is read up to the hole, and a repair keeps it without
// filling the disk.
func TestHoleInTheJournal(t *testing.T) {
	t.Parallel()
	d := newTasked(t)
	want := essence(t, d, must(d.Load()))
	journal := d.get(t, journalName)
	if err := os.Truncate(d.Path(journalName), 100<<40); err != nil {
		if os.Truncate(d.Path(journalName), 8<<40) != nil { // more than ext4 can
			t.Skip(err)
		}
	}
	if lines, err := d.Journal(0); err != nil || len(lines) != strings.Count(string(journal), "\n") {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	r, err := d.Repair(context.Background(), tasked.sound)
	if err != nil || len(r.Unfixed) > 0 || !strings.Contains(strings.Join(r.Fixed, "\n"), "bytes after its last line") {
		t.Fatalf("%+v, %v", r, err)
	}
	whole(t, d, want, false)
	kept, err := filepath.Glob(d.Path(lostDir, journalName+".*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %v, %v", kept, err)
	}
	info, err := os.Stat(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	if on := info.Sys().(*syscall.Stat_t).Blocks * 512; info.Size() < 1<<40 || on > 1<<20 {
		t.Errorf("%d bytes take %d on the disk", info.Size(), on)
	}
}
