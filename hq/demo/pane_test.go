package demo

import (
	"slices"
	"testing"
)

func TestFold(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"* reads the submission", 30, []string{"* reads the submission"}},
		{"* reads the submission", 16, []string{"* reads the", "  submission"}},
		{"  | the pause ends with it", 18, []string{"  | the pause ends", "  | with it"}},
		{"  + if x != nil { return }", 19, []string{"  + if x != nil {", "    return }"}},
		{"no terminal at all, as it is", 0, []string{"no terminal at all, as it is"}},
		{"very narrow", 5, []string{"very narrow"}},
	} {
		if got := fold(test.text, test.width); !slices.Equal(got, test.want) {
			t.Errorf("fold(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
