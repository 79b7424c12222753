package style

import (
	"testing"

	"ferrus/ui/text"
)

func TestRowIsExactlyAsWide(t *testing.T) {
	left, right := Spans{{"left 漢字 words", "\x1b[1m"}}, Spans{{"right", ""}}
	for w := range 40 {
		if got := Row(w, left, right); text.Width(got) != w {
			t.Errorf("row(%d) is %d cells: %q", w, text.Width(got), got)
		}
	}
}
