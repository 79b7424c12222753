package tui

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"ferrus/store/longtest"
)

// storm is how often the terminal changes its size.
const storm = 1000

// TestAStormOfSizes changes the size faster than frames can be drawn, while a pane floods: the last
// size counts, on the screen and for the agent, and the agent's output is kept.
func TestAStormOfSizes(t *testing.T) {
	longtest.OnlyCI(t)
	sizes := [][2]int{{120, 40}, {1, 1}, {500, 200}, {60, 20}, {2, 300}, {500, 1}, {80, 24}, {200, 60}}
	for scene, words := range map[string]string{"flood": "a line of a flood", "work": "before the storm"} {
		t.Run(scene, func(t *testing.T) {
			h := start(t, scene)
			h.WaitFor("2 executor  demo")
			if scene == "work" {
				h.Type("\x0f2")
				h.WaitFor("Keys go to 2 executor")
				h.Type(words)
			}
			h.WaitFor(words)
			for i := range storm {
				size := sizes[i%len(sizes)]
				h.Resize(size[0], size[1])
				if err := h.Command.Process.Signal(syscall.SIGWINCH); err != nil {
					t.Fatal(err)
				}
			}
			h.Resize(140, 44)
			var columns, rows int
			h.Wait("the last size", func() bool {
				columns, rows = h.pane()
				return columns == 138 && rows > 20
			})
			h.WaitFor(words)
			if scene == "work" {
				h.Type("\x1d")
			}
			h.Type("\x03\x03")
			log := h.ends(0)
			got := log[strings.LastIndex(log, "resize executor"):]
			if want := fmt.Sprintf("resize executor %dx%d\n", columns, rows); !strings.HasPrefix(got, want) {
				t.Errorf("the agent got %q last, want %q", got, want)
			}
		})
	}
}

// pane returns the inner size of the running pane, which has the full width; zero while it is not
// fully drawn.
func (h *hqTest) pane() (columns, rows int) {
	lines := strings.Split(h.ScreenText(), "\n")
	top, _ := strings.CutPrefix(lines[1], "╭")
	for rows < len(lines)-2 && !strings.HasPrefix(lines[rows+2], "╰") {
		rows++
	}
	return utf8.RuneCountInString(strings.TrimSuffix(top, "╮")), rows
}
