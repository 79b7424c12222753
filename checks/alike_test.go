package checks

import (
	"fmt"
	"slices"
	"testing"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ added, other, want string }{
		{"Main.go", "main.go", "map[Main.go:main.go]"},
		{"main.go", "main.go", "map[]"},
		{"dir/a", "Dir/b", "map[]"}, // both are in one directory there
		{"dir/a", "Dir/A", "map[dir/a:Dir/A]"},
		{"sub/x", "SUB", "map[sub/x:SUB]"}, // such as a link
		{"sub", "Sub/hooks/x", "map[sub:Sub/hooks/x]"},
		{"Ä", "ä", "map[Ä:ä]"},
		{"ab", "abc", "map[]"},
	} {
		if got := fmt.Sprint(Alike([]string{c.added}, slices.Values([]string{c.added, c.other}))); got != c.want {
			t.Errorf("%s beside %s: %s, want %s", c.added, c.other, got, c.want)
		}
	}
}

func TestHasOddName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a/b c.txt": false, "café.go": false, "日本語.md": false, "हिन्दी.txt": false, "👩\u200d💻.md": false, "é/ñ": false,
		"cafe\u0301.go": true, "main\u200b.go": true, "a\u202etxt.go": true, "a\nb": true, "a\tb": true,
		"\x1b[1m": true,
	} {
		if got := HasOddName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
