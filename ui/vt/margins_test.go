package vt

import "testing"

// TestMarginsAtTheSidesAreLeftOutAsInTmux: it knows none, so CSI s saves the cursor
// whatever else it says.
func TestMarginsAtTheSidesAreLeftOutAsInTmux(t *testing.T) {
	t.Parallel()
	m := startTmux(t, 30, 8)
	for _, stream := range []string{
		"abc\x1b[?69h\x1b[5;10s\x1b[3;7Hxyz and what wraps at no margin\x1b[uQ",
		"\x1b[?69h\x1b[3;6sone\r\ntwo\x1b[2;4H\x1b[Lthree\x1b[?69lfour",
		"\x1b[4;5H\x1b[2;9s\x1b[Hx\x1b[uy\x1b['}\x1b['~z",
	} {
		m.print([]byte(tmuxReset))
		sameAsTmux(t, m, New(30, 8, 0), []byte(stream), []int{len(stream)})
	}
}
