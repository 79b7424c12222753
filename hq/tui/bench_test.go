package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/ui"
)

// BenchmarkFrame is what one frame costs before Bubble Tea draws it: at rest,
// and while a pane gets a line each time.
func BenchmarkFrame(b *testing.B) {
	m := ui.New(ui.Options{Do: func(ui.Intent) tea.Cmd { return nil }})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	v := fixture(b, "checking")
	var p projector
	for _, c := range []struct {
		name string
		line string
	}{{"rest", ""}, {"busy", "a line of output of an ordinary length, with \x1b[32mcolour\x1b[m\r\n"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = v.Panes[1].Terminal.Write([]byte(c.line))
				m.Update(ui.ViewMsg{View: p.project(v, fixtureNow)})
				_ = m.View()
			}
		})
	}
}
