package projection

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/hq/tui/slash"
	"ferrus/ui"
	"ferrus/ui/intent"
	"ferrus/ui/style"
)

// TestWhatTheScreenDrawsHasAStandIn checks every dialog in a terminal with few characters: a
// question mark replaces characters of agents and texts, never our own.
func TestWhatTheScreenDrawsHasAStandIn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it draws every frame")
	}
	const brought = "漢字☂"
	for _, glyphs := range []style.Charset{style.ConsoleGlyphs, style.ASCIIGlyphs} {
		for _, s := range dialogScenes(t) {
			draw := func(g style.Charset) []string {
				m := ui.New(ui.Options{Commands: slash.Table, Do: func(intent.Intent) tea.Cmd {
					return nil
				}, Now: func() time.Time { return fixtureNow }, Terminal: style.Terminal{Glyphs: g}})
				m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
				m.Update(ui.ViewMsg{View: projected(fixture(t, s.state))})
				s.act(t, m)
				return strings.Split(ansi.Strip(m.View().Content), "\n")
			}
			own, drawn := draw(style.EveryGlyph), draw(glyphs)
			for y := range own {
				one, other := cellsOf(own[y]), cellsOf(drawn[y])
				if ansi.StringWidth(own[y]) != ansi.StringWidth(drawn[y]) {
					t.Errorf("%s: row %d is as wide as %q, not %q", s.name, y, drawn[y], own[y])
					continue
				}
				for i := 0; i < min(len(one), len(other)) && one[i].width == 1; i++ {
					if other[i].text == "?" && one[i].text != "?" && !strings.Contains(brought, one[i].text) {
						t.Errorf("%s: nothing stands for %q in row %d: %s", s.name, one[i].text, y, own[y])
					}
				}
			}
		}
	}
}
