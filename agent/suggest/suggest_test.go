package suggest

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"kitten", "sitting", 3},
		{"flaw", "lawn", 2},
	} {
		if there, back := Distance(c.a, c.b), Distance(c.b, c.a); there != c.want || back != c.want {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, there, back, c.want)
		}
	}
}

func TestWord(t *testing.T) {
	known := []string{"claude-code", "codex", "demo"}
	for word, want := range map[string]string{"codx": "codex", "Codex": "codex", "claude": "claude-code",
		"dmeo": "demo", "emacs": "", "": ""} {
		if got := Word(word, known); got != want {
			t.Errorf("%q is taken for %q, want %q", word, got, want)
		}
	}
	if got := Least("claude", known); got != "claude-code" {
		t.Errorf("claude is nearest to %q", got)
	}
	if got := Least("emacs", known); got != "demo" {
		t.Errorf("emacs is nearest to %q", got)
	}
}
