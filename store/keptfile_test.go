package store

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// keptMemory returns a memory disk and the directory of the heads on it.
func keptMemory(t *testing.T) (*memory, folder) {
	t.Helper()
	m := newMemory()
	f, err := memoryHeads{m}.create()
	if err != nil {
		t.Fatal(err)
	}
	return m, f
}

// TestNewestRecordSurvivesEachStop stops before each step of a few writes, and loses what was not synced.
func TestNewestRecordSurvivesEachStop(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	records := []string{"a", "bb", strings.Repeat("long ", 2000), "c", strings.Repeat("d", 3000), "e", "ff", "g"}
	for at, ended := 1, false; !ended; at++ {
		m, f := keptMemory(t)
		m.n, m.at = 0, at
		done := 0
		func() {
			defer func() {
				if stopped := recover(); stopped != nil && stopped != (died{}) {
					panic(stopped)
				}
			}()
			for ; done < len(records); done++ {
				if err := writeNewest(f, "p.sums", &keptSums{Sums: []string{records[done]}}); err != nil {
					t.Fatal(err)
				}
			}
			ended = true
		}()
		for range 20 {
			lost := m.lose(rng)
			f, err := memoryHeads{lost}.open()
			if err != nil && done > 0 {
				t.Fatal(err)
			} else if err != nil {
				continue
			}
			got, err := readNewest[keptSums](f, "p.sums")
			switch {
			case done == 0 && isMissing(err):
			case err != nil:
				t.Fatalf("after %d writes, stopped before step %d: %v", done, at, err)
			case done > 0 && got.Sums[0] == records[done-1]:
			case done < len(records) && got.Sums[0] == records[done]:
			default:
				t.Fatalf("after %d writes, stopped before step %d: %.20q is read", done, at, got.Sums[0])
			}
			if err := writeNewest(f, "p.sums", &keptSums{Sums: []string{"next"}}); err != nil {
				t.Fatal(err)
			}
			if got, err := readNewest[keptSums](f, "p.sums"); err != nil || got.Sums[0] != "next" {
				t.Fatalf("the next writer's record is read as %.20q, %v", got.Sums, err)
			}
		}
	}
}

// TestRecordOfAnEarlierFerrusIsRead checks a file with one record that has no generation.
func TestRecordOfAnEarlierFerrusIsRead(t *testing.T) {
	t.Parallel()
	_, f := keptMemory(t)
	old, err := encodeSummed(&keptSums{Sums: []string{"old"}})
	if err == nil {
		err = writeNew(f, "p.sums", old, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"old", "new", "newer"} {
		if want != "old" {
			if err := writeNewest(f, "p.sums", &keptSums{Sums: []string{want}}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := readNewest[keptSums](f, "p.sums"); err != nil || got.Sums[0] != want {
			t.Fatalf("%q is read as %q, %v", want, got.Sums, err)
		}
	}
	if names, err := f.list("."); err != nil || len(names) != 1 {
		t.Errorf("the directory has %q, %v", names, err)
	}
}

func TestOverwrittenRecordIsReadOrNone(t *testing.T) {
	t.Parallel()
	_, f := keptMemory(t)
	for _, want := range []string{"a", strings.Repeat("long", 100), "b"} {
		if err := overwrite(f, "p.confirmed", &confirmedSums{Kept: want}); err != nil {
			t.Fatal(err)
		}
		var got confirmedSums
		if err := readRecord(f, "p.confirmed", &got); err != nil || got.Kept != want {
			t.Fatalf("%q is read as %q, %v", want, got.Kept, err)
		}
	}
	file, err := f.change("p.confirmed")
	if err == nil {
		_, err = file.WriteAt([]byte("x"), 20)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := readRecord(f, "p.confirmed", &confirmedSums{}); !errors.Is(err, errNotOurs) {
		t.Errorf("a torn record is read with %v, want errNotOurs", err)
	}
}
