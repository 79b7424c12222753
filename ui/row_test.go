package ui

import (
	"testing"

	"ferrus/ui/text"
)

func TestRowIsExactlyAsWide(t *testing.T) {
	left, right := spans{{"left 漢字 words", "\x1b[1m"}}, spans{{"right", ""}}
	for w := range 40 {
		if got := row(w, left, right); text.Width(got) != w {
			t.Errorf("row(%d) is %d cells: %q", w, text.Width(got), got)
		}
	}
}
