package vt

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pieceMark stands in a recorded stream where the program fell silent.
const pieceMark = "\x1b]999;piece\x07"

// recorded are the streams in testdata: vim, less, top, git, bash and tmux, as
// they drew on a terminal of 100x30.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.stream")
	if err != nil || len(names) == 0 {
		t.Fatalf("no recorded streams: %v", err)
	}
	streams := map[string][]byte{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		streams[strings.TrimSuffix(filepath.Base(name), ".stream")] = b
	}
	return streams
}

// pieceEnds are the places in a stream at which it may be looked at.
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
	t.Parallel()
	m := startTmux(t, 100, 30)
	for name, stream := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			m := &tmux{t, m.socket, m.conn}
			m.print([]byte(tmuxReset))
			sameAsTmux(t, m, New(100, 30, 0), stream, pieceEnds(stream))
		})
	}
}

func TestGeneratedStreamsLookAsInTmux(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 60, 16)
	for seed := range int64(40) {
		g := generator{rand: rand.New(rand.NewSource(seed)), columns: 60, rows: 16}
		var stream []byte
		var ends []int
		for range 8 {
			stream = append(stream, g.polite(120, seed%4 == 3)...)
			ends = append(ends, len(stream))
		}
		m.print([]byte(tmuxReset))
		if t.Run("", func(t *testing.T) {
			sameAsTmux(t, &tmux{t, m.socket, m.conn}, New(60, 16, 0), stream, ends)
		}); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
