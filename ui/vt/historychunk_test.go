package vt

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestHistoryIsTheNewestLinesThatWerePushed(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		h := history{limit: 1 + random.IntN(200)}
		var all []string // that are not taken back
		for n := range 2000 {
			if h.count > 0 && random.IntN(5) == 0 {
				line, text := h.pop()
				if want := all[len(all)-1]; string(text) != want || line.wrapped != (len(want)%2 == 0) {
					t.Fatalf("step %d: took back %.40q, %v, want %.40q", n, text, line.wrapped, want)
				}
				all = all[:len(all)-1]
				continue
			}
			text := strings.Repeat(string(rune('a'+n%26)), random.IntN(1000))
			if random.IntN(100) == 0 {
				text = strings.Repeat(text, 40) // longer than a chunk
			}
			h.push([]byte(text), len(text)%2 == 0, false)
			all = append(all, text)
		}
		if h.count > h.limit {
			t.Fatalf("it has %d lines of %d", h.count, h.limit)
		}
		for i, want := range all[len(all)-h.count:] {
			if got := h.read(*h.lineAt(i)); string(got) != want {
				t.Fatalf("line %d is %.40q, want %.40q", i, got, want)
			}
		}
	}
}

func TestAFullScrollbackAllocatesNothing(t *testing.T) {
	v := New(120, 40, 1000)
	output := bytes.Repeat([]byte("\x1b[32mok\x1b[m  ferrus/ui/vt 0.52s of all of it\r\n"), 500)
	for range 4 {
		v.Write(output)
	}
	if n := testing.AllocsPerRun(20, func() { v.Write(output) }); n > 1 {
		t.Errorf("500 lines allocate %v times", n)
	}
}
