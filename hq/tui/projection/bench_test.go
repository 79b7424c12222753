package projection

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"ferrus/hq/tui/slash"
	"ferrus/ui"
	"ferrus/ui/intent"
)

// BenchmarkFrame measures the cost of a frame before Bubble Tea draws it: at rest, and while a pane
// gets a line each time.
func BenchmarkFrame(b *testing.B) {
	m := ui.New(ui.Options{Commands: slash.Table, Do: func(intent.Intent) tea.Cmd { return nil }})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	v := fixture(b, "checking")
	var p Projector
	for _, c := range []struct {
		name string
		line string
	}{{"rest", ""}, {"busy", "a line of output of an ordinary length, with \x1b[32mcolour\x1b[m\r\n"}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = v.Panes[1].Terminal.Write([]byte(c.line))
				m.Update(ui.ViewMsg{View: p.Project(v, fixtureNow)})
				_ = m.View()
			}
		})
	}
}
