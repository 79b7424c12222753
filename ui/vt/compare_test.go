package vt

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"ferrus/store/longtest"
)

// pieceMark marks the places of a recorded stream where the program fell silent.
const pieceMark = "\x1b]999;piece\x07"

// recorded returns the streams of all recordings.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	streams := map[string][]byte{}
	for _, r := range recordings {
		b, err := os.ReadFile(filepath.Join("testdata", r.name+".stream"))
		if err != nil {
			t.Fatal(err)
		}
		streams[r.name] = b
	}
	return streams
}

// pieceEnds returns the places in a stream at which it may be looked at.
func pieceEnds(stream []byte) (ends []int) {
	for at := 0; ; {
		i := bytes.Index(stream[at:], []byte(pieceMark))
		if i < 0 {
			return append(ends, len(stream))
		}
		at += i + len(pieceMark)
		ends = append(ends, at)
	}
}

// tmuxReset makes a pane as new.
const tmuxReset = "\x1b[?1049l\x1bc\x1b[!p\x1b[H\x1b[2J"

func TestRecordedStreamsLookAsInTmux(t *testing.T) {
	longtest.OnlyCI(t)
	t.Parallel()
	panes := map[[2]int]*tmux{}
	streams := recorded(t)
	for i, r := range recordings {
		if i%3 != 0 && !longtest.On() { // a sample; FERRUS_LONG has them all
			continue
		}
		columns, rows := r.size()
		m := panes[[2]int{columns, rows}]
		if m == nil {
			m = startTmux(t, columns, rows)
			panes[[2]int{columns, rows}] = m
		}
		t.Run(r.name, func(t *testing.T) {
			m := m.in(t)
			m.print([]byte(tmuxReset))
			sameAsTmux(t, m, New(columns, rows, 0), streams[r.name], pieceEnds(streams[r.name]))
		})
	}
}

func TestGeneratedStreamsLookAsInTmux(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it compares with tmux")
	}
	t.Parallel()
	m := startTmux(t, 60, 16)
	for seed := range choose[int64](longtest.On(), 400, 8) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 60, rows: 16}
		var stream []byte
		var ends []int
		for range 8 {
			stream = append(stream, g.polite(120, seed%4 == 3)...)
			ends = append(ends, len(stream))
		}
		m.print([]byte(tmuxReset))
		if t.Run("", func(t *testing.T) {
			sameAsTmux(t, m.in(t), New(60, 16, 0), stream, ends)
		}); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
