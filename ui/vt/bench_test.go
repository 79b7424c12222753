package vt

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

var benchWords = strings.Fields(`the quick brown fox jumps over lazy dog error warning info request
	handled in ms user id token bytes from server worker queue flush retry commit index scan plan`)

// words is n random words.
func words(r *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = benchWords[r.Intn(len(benchWords))]
	}
	return strings.Join(list, " ")
}

// generated are streams of one kind each.
func generated() map[string][]byte {
	r := rand.New(rand.NewSource(7))
	kinds := map[string]func(i int) string{
		"plain": func(i int) string {
			return fmt.Sprintf("2026-11-20T09:%02d:%02d.%03dZ INFO  worker-%d %s\r\n", i/60%60, i%60, r.Intn(1000),
				r.Intn(8), words(r, 4+r.Intn(18)))
		},
		"sgr": func(int) string { return colored(r) },
		"unicode": func(int) string {
			return "漢字仮名交じり " + words(r, 2) + " 한국어 🚀 ✅ e\u0301 λ→─│█ " + words(r, 3) + " 日本語中文测试\r\n"
		},
		"agent": func(i int) string { return agentFrame(r, i) },
	}
	streams := map[string][]byte{}
	for name, line := range kinds {
		var b strings.Builder
		for i := 0; b.Len() < 256<<10; i++ {
			b.WriteString(line(i))
		}
		streams[name] = []byte(b.String())
	}
	return streams
}

func colored(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.Intn(7) {
		switch r.Intn(4) {
		case 0:
			fmt.Fprintf(&b, "\x1b[38;5;%dm%s\x1b[39m ", r.Intn(256), words(r, 1))
		case 1:
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm%s\x1b[0m ", r.Intn(256), r.Intn(256), r.Intn(256), words(r, 2))
		case 2:
			fmt.Fprintf(&b, "\x1b[1;4m%s\x1b[22;24m ", words(r, 2))
		default:
			b.WriteString(words(r, 2) + " ")
		}
	}
	return b.String() + "\r\n"
}

// agentFrame draws as agents with a line-based screen do: the last rows again
// and again, held until they are complete.
func agentFrame(r *rand.Rand, i int) string {
	box := strings.Repeat("─", 116)
	return "\x1b[?2026h" + strings.Repeat("\x1b[2K\x1b[1A", 4) + "\x1b[2K\x1b[G" +
		strings.Repeat("\x1b[38;2;215;119;87m⏺\x1b[39m "+words(r, 12)+"\r\n", i%5/4) +
		fmt.Sprintf("\x1b[38;2;215;119;87m✳ Thinking…\x1b[39m \x1b[2m(%ds · ↑ %d tokens)\x1b[22m\r\n", i, 37*i) +
		"\x1b[2m╭" + box + "╮\x1b[22m\r\n\x1b[2m│\x1b[22m > " + words(r, 5) + "\r\n\x1b[2m╰" + box +
		"╯\x1b[22m\r\n? for shortcuts\x1b[?2026l"
}

func BenchmarkWrite(b *testing.B) {
	streams := generated()
	for name, stream := range recorded(b) {
		streams[name] = stream
	}
	names := make([]string, 0, len(streams))
	for name := range streams {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			t := New(120, 40, 10_000)
			stream := streams[name]
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				for piece := range slices.Chunk(stream, 32<<10) {
					t.Write(piece)
				}
			}
		})
	}
}

func BenchmarkRow(b *testing.B) {
	t := New(100, 30, 0)
	t.Write(recorded(b)["vim"])
	b.ReportAllocs()
	for b.Loop() {
		for y := range 30 {
			t.rows[y].textGen = 0
			t.Row(y)
		}
	}
}
