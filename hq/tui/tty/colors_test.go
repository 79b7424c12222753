package tty

import (
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// TestXtermColors checks that xterm gets the colors that it has, and that a program that only runs
// in it, or was started from it, keeps its own.
func TestXtermColors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		term, version string
		want          colorprofile.Profile
		ok            bool
	}{
		{"xterm", "XTerm(379)", colorprofile.TrueColor, true},
		{"xterm", "XTerm(278)", colorprofile.ANSI256, true},
		{"xterm", "", 0, false},
		{"xterm", "Eterm", 0, false},
		{"screen", "XTerm(379)", 0, false},
		{"xterm-256color", "XTerm(379)", 0, false},
	} {
		environ := map[string]string{"TERM": c.term, "XTERM_VERSION": c.version}
		got, ok := xtermColors(func(name string) string { return environ[name] })
		if got != c.want || ok != c.ok {
			t.Errorf("TERM=%s XTERM_VERSION=%s has colours %v, %v", c.term, c.version, got, ok)
		}
	}
}
