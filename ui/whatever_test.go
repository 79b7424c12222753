package ui

import (
	"ferrus/ui/intent"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// TestFramesAreExactWhateverIsDone presses keys, drags the mouse, resizes and opens pages at
// random: every frame has the size of its terminal.
func TestFramesAreExactWhateverIsDone(t *testing.T) {
	first, seeds := rand.Uint64(), uint64(20)
	if testing.Short() {
		seeds = 2
	}
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			b := openAt(t, work(), 120, 40)
			b.m.options.Do = func(intent.Intent) tea.Cmd { return nil }
			for range 150 {
				whatever(b, r)
				b.frame()
			}
		})
	}
}

var someKeys = []string{"f1", "f3", "f4", "esc", "ctrl+o", "5", "6", "enter", "y", "v", "/", "down", "]",
	"q", "f2", "n"}

// whatever does one random thing.
func whatever(b *fixture, r *rand.Rand) {
	x, y := r.IntN(210)-3, r.IntN(70)-3
	switch r.IntN(9) {
	case 0:
		b.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	case 1, 2:
		b.send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
	case 3:
		b.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	case 4:
		b.press(someKeys[r.IntN(len(someKeys))])
	case 5:
		b.send(PageMsg{Title: "a page", Text: "# head\n\n漢字 and | a |\n" + strings.Repeat("words ", r.IntN(300))})
	case 6:
		b.send(DiffMsg{Diff: changed()})
	case 7:
		b.send(tea.WindowSizeMsg{Width: 1 + r.IntN(210), Height: 1 + r.IntN(64)})
	case 8:
		b.send(tea.MouseWheelMsg{X: x, Y: y, Button: []tea.MouseButton{tea.MouseWheelUp,
			tea.MouseWheelDown}[r.IntN(2)]})
	}
}
