package checks

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWordsAreFoundAsAnExpressionFindsThem compares one pass over a random text with an expression for each word.
func TestWordsAreFoundAsAnExpressionFindsThem(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	words := []string{
		"a.json", "b-1", "helper.go", "helper", "x",
		"a_long_name_of_a_file_that_has_more_letters_than_there_are_bits_in_a_word",
		".hidden", "@x/y", "é.txt", "a.json.bak",
	}
	pieces := append([]string{" ", "\n", "_", ".", "-", "a", "1", "go", "\xff", "é", "/"}, words...)
	set := newWordSet(words)
	expressions := map[string]*regexp.Regexp{}
	for _, word := range words {
		expressions[word] = regexp.MustCompile(`(?:^|\W)` + regexp.QuoteMeta(word) + `(?:$|\W)`)
	}
	for range 5_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text, want := b.String(), []string(nil)
		for _, word := range words {
			if expressions[word].MatchString(text) {
				want = append(want, word)
			}
		}
		slices.Sort(want)
		if got := set.find([]byte(text)); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBinaryFilesMentionNothing(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		parts []string
		want  int // bytes that are searched
	}{
		{"text", []string{"ab", "cd"}, 4},
		{"a NUL", []string{"ab", "c\x00d", "ef"}, 0},
		{"a NUL in another part", []string{strings.Repeat("a", 7999), "\x00"}, 0},
		{"behind what git reads", []string{strings.Repeat("a", 8000), "\x00"}, 8001},
	} {
		var f textFile
		for _, part := range x.parts {
			if n, err := f.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%s: %d, %v", x.name, n, err)
			}
		}
		if f.Len() != x.want {
			t.Errorf("%s: %d bytes, want %d", x.name, f.Len(), x.want)
		}
	}
}
