package cli

import (
	"strings"
	"testing"
)

// A text of an agent does not hide what is printed beside it.
func TestShorten(t *testing.T) {
	t.Parallel()
	const rest = " more bytes: ferrus tasks t-1 prints all of it)"
	for whole, want := range map[string]string{
		"":                                      "",
		"Which?\n":                              "Which?\n",
		strings.Repeat("x\n", 1000):             strings.Repeat("x\n", shownLines) + "(1880" + rest,
		strings.Repeat("é", 9000):               strings.Repeat("é", shownBytes/2) + "\n(9808" + rest,
		"a\n" + strings.Repeat("x", shownBytes): "a\n(8192" + rest,
	} {
		if got := shorten(whole, "t-1"); got != want {
			t.Errorf("%.20q is shown as %q, want %q", whole, got, want)
		}
	}
}
