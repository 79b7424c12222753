package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// pieces are what random lines are made of: simple characters, and everything that joins them,
// is wide, moves the cursor, or is no text.
var pieces = []string{
	"a", "Z", " ", "~", "word", "é", "ſ", "…", "─", "│", "█", "●", "·", "→",
	"\x1b[m", "\x1b[1;38;5;200m", "\x1b[4:3m", "\x1b[2J", "\x1b[", "\x1b", "\x1b]8;;x\x1b\\", "\x1b]0;t\a", "\x1b(B",
	"漢", "👍", "👨\u200d👩\u200d👧", "🇩🇪", "🇩", "❤️", "❤", "\u0301", "e\u0301", "\u200d", "\ufe0f", "\u0600", "\u0e33", "각",
	"\u00ad", "\u200b", "\u2028", "\t", "\n", "\r", "\x7f", "\x00", "\u009b", "\x9b", "\xff", "\xe2\x94",
}

func TestCellsAreCountedAsTheLibraryCountsThem(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		// Most lines hold simple pieces only: the first 17.
		from := len(pieces)
		if random.IntN(3) > 0 {
			from = 17
		}
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(from)])
		}
		line := b.String()
		want := ansi.StringWidth(line)
		if got := Width(line); got != want {
			t.Fatalf("Width(%q) = %d, want %d", line, got, want)
		}
		w := random.IntN(want + 3)
		// The library also returns what takes no cells behind the cut.
		got, all := Prefix(line, w), ansi.Truncate(line, w, "")
		if !strings.HasPrefix(all, got) || ansi.StringWidth(got) != ansi.StringWidth(all) {
			t.Fatalf("Prefix(%q, %d) = %q, want a beginning of %q of the same width", line, w, got, all)
		}
		if got, want := Suffix(line, w), ansi.TruncateLeft(line, w, ""); got != want {
			t.Fatalf("Suffix(%q, %d) = %q, want %q", line, w, got, want)
		}
		if w > 1 && want > w {
			got, all := Cut(line, w), ansi.Truncate(line, w, ellipsis)
			if !strings.HasPrefix(all, got) || ansi.StringWidth(got) != ansi.StringWidth(all) {
				t.Fatalf("Cut(%q, %d) = %q, want a beginning of %q of the same width", line, w, got, all)
			}
		}
	}
}

func TestSimpleCharactersTakeACellEach(t *testing.T) {
	n := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		c := string(r)
		if size := simple(c + "a"); size == 0 {
			continue
		} else if size != len(c) {
			t.Fatalf("simple(%q) = %d, want %d", c, size, len(c))
		}
		n++
		for _, next := range []string{"", "a", "│", "●", "é", "…", "\x1b[m"} {
			cluster, w := ansi.FirstGraphemeCluster(c+next, ansi.GraphemeWidth)
			if cluster != c || w != 1 {
				t.Errorf("%q before %q: the cluster is %q and takes %d cells, want itself and 1", c, next, cluster, w)
			}
		}
	}
	if n < 300 {
		t.Errorf("%d characters are simple, want all of ASCII, Latin and borders", n)
	}
}

func BenchmarkWidth(b *testing.B) {
	row := "\x1b[38;5;240m│\x1b[m " + strings.Repeat("word ", 22) + "… \x1b[38;5;240m│\x1b[m"
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			Width(row)
		}
	})
	b.Run("library", func(b *testing.B) {
		for b.Loop() {
			ansi.StringWidth(row)
		}
	})
}
