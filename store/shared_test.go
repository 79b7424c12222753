package store

import (
	"os"
	"testing"
)

// Frequent readers share one decoded state until something changes, and see each change at once,
// even one that leaves the size, the inode and the time of the file unchanged.
func TestASharedStateIsDecodedOnce(t *testing.T) {
	t.Parallel()
	d, _ := newStore(t)
	look := func() State[world] {
		t.Helper()
		s, err := d.LoadShared()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	update(t, d, Call{}, func(tx *Tx[world]) error {
		tx.World.By = map[string]int{"one": 1}
		return step(tx)
	})
	first := look()
	first.World.By["one"] = 7 // as no caller may
	if again := look(); again.Seq != 1 || again.World.By["one"] != 7 {
		t.Errorf("decoded again: %+v", again)
	}
	if own, err := d.Load(); err != nil || own.World.By["one"] != 1 {
		t.Errorf("Load shares what it returns: %+v, %v", own, err)
	}
	update(t, d, Call{}, step)
	if now := look(); now.Seq != 2 || now.World.N != 2 || now.World.By["one"] != 1 {
		t.Errorf("a change is not seen: %+v", now)
	}

	path := d.Path(stateName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := append([]byte{' '}, data[:len(data)-1]...)
	if err := os.WriteFile(path, edited, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if s, err := d.LoadShared(); err == nil {
		t.Errorf("an edit is not seen: %+v", s)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if now := look(); now.Seq != 2 {
		t.Errorf("what is right again is not seen: %+v", now)
	}
}
