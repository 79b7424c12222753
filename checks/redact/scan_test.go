package redact

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ferrus/ui/text"
)

// TestScanFindsWhatASearchFinds compares the scanner with a search for each mark, in random texts of the marks, of
// secrets and of what resembles them.
func TestScanFindsWhatASearchFinds(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	secrets := [][]byte{[]byte("hunter2"), []byte("correct horse"), bytes.Repeat([]byte("0123456789"), 8)}
	s := newScanner(secrets)
	_, byStart := marks()
	var all []mark
	pieces := []string{"", "a", " ", "\n", "_", "hunter", "correct", "KE", "-----", ":/", "task-", "\x00", "é"}
	for _, marks := range byStart {
		all = append(all, marks...)
	}
	for _, m := range all {
		pieces = append(pieces, m.text, m.text[1:], m.text[:len(m.text)-1])
	}
	for _, secret := range secrets {
		pieces = append(pieces, string(secret))
	}
	slices.Sort(pieces) // so that the seed decides what is chosen
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		p := []byte(b.String())
		if got, want := s.scan(p), searched(p, all, secrets); got != want {
			t.Fatalf("%q: %b, want %b", p, got, want)
		}
	}
}

// searched returns what a text may hold by a search for each.
func searched(p []byte, all []mark, secrets [][]byte) (found findings) {
	for _, m := range all {
		for i := range p {
			word := m.of == key && i > 0 && text.IsWordByte[p[i-1]]
			if bytes.HasPrefix(p[i:], []byte(m.text)) && !word {
				found |= m.of
			}
		}
	}
	if slices.ContainsFunc(secrets, func(secret []byte) bool { return bytes.Contains(p, secret) }) {
		found |= value
	}
	return found
}
