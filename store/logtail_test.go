package store

import (
	"os"
	"testing"
)

func TestEndOfALog(t *testing.T) {
	d, _ := newStore(t)
	if end, more, err := d.Tail("some.log", 3); err != nil || more || len(end) != 0 {
		t.Errorf("one that is not there: %q, %v, %v", end, more, err)
	}
	log, err := d.Append("some.log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.WriteString("12345"); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]string{0: "", 3: "345", 5: "12345", 9: "12345"} {
		if end, more, err := d.Tail("some.log", limit); err != nil || string(end) != want || more != (limit < 5) {
			t.Errorf("%d: %q, %v, %v; want %q", limit, end, more, err, want)
		}
	}
	if err := os.Symlink("some.log", d.Path("link.log")); err != nil {
		t.Fatal(err)
	}
	if end, _, err := d.Tail("link.log", 9); err == nil {
		t.Errorf("a link was followed: %q", end)
	}
	if _, _, err := d.Tail("../x", 9); err == nil {
		t.Error("a name above .ferrus was read")
	}
}
