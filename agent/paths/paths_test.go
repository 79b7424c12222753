package paths_test

import (
	"testing"

	"ferrus/agent/paths"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		top, path string
		want      bool
	}{
		{"/home/ann", "/home/ann", true},
		{"/home/ann", "/home/ann/project", true},
		{"/home/ann", "/home/anna", false},
		{"/home/ann", "/home", false},
		{"/", "/", true},
		{"/", "/home", true},
		{"src", "src/main.go", true},
		{"src", "/src", false},
	} {
		if got := paths.Within(c.top, c.path); got != c.want {
			t.Errorf("Within(%q, %q) is %v", c.top, c.path, got)
		}
	}
}
