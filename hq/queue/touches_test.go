package queue

import (
	"strings"
	"testing"
)

func TestOverlap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a.go", "a.go", true}, {"a.go", "b.go", false}, {"./a.go", "a.go", true},
		{"fetch", "fetch/a.go", true}, {"fetch/", "fetch/x/*.go", true}, {"fetch", "fetcher/a.go", false},
		{"fetch/*.go", "fetch/a.go", true}, {"fetch/*.go", "fetch/a.md", false}, {"fetch/*.go", "cache/a.go", false},
		{"*.go", "*.md", false}, {"a*.go", "b*.go", false}, {"a*", "*b", true}, {"?.go", "[ab].go", true},
		{"**/*.go", "x/y/a.go", true}, {"**/*.go", "a.go", true}, {"**/*.go", "x/a.md", false},
		{"docs/**", "docs/a/b", true}, {"docs/**", "src/a", false}, {"**", "anything", true}, {".", "anything", true},
		{"a/**/c", "a/c", true}, {"a/**/c", "a/b/b/c", true}, {"a/**/c", "b/c", false}, {"a/**/c", "**/d/c", true},
	} {
		if overlap(c.a, c.b) != c.want || overlap(c.b, c.a) != c.want {
			t.Errorf("overlap(%q, %q) = %v, swapped %v; want %v",
				c.a, c.b, overlap(c.a, c.b), overlap(c.b, c.a), c.want)
		}
	}
	for _, bad := range []string{"/etc/passwd", "../x", "a[", "a\nb", ""} {
		if checkTouches([]string{"ok", bad}) == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// Patterns with many ** are compared as quickly as others.
func TestOverlapOfManyStars(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("**/a/", 40)+"b.go", strings.Repeat("**/a/", 40)+"c.go"
	if overlap(a, b) {
		t.Errorf("overlap(%q, %q) = true, want false", a, b)
	}
}
