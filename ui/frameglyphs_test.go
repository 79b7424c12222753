package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ferrus/ui/intent"
	"ferrus/ui/style"
	"ferrus/ui/text"
	"ferrus/ui/view"
	"ferrus/ui/vt"
)

// TestAFrameHasOnlyWhatTheTerminalHas checks the screen with a pane whose agent writes every
// character.
func TestAFrameHasOnlyWhatTheTerminalHas(t *testing.T) {
	for _, g := range []style.Charset{style.ConsoleGlyphs, style.ASCIIGlyphs} {
		agent := vt.NewLocked(56, 20, 0)
		_, _ = agent.Write([]byte("\x1b]0;title ✳\x07╭─ ✻ Thinking… ⠋ 日本語 👩‍👩‍👧 🇩🇪 e\u0301 \x1b[7m█▓▒░\x1b[m ▁▂▃▄▅▆▇█"))
		m := New(Options{Do: func(intent.Intent) tea.Cmd { return nil }, Terminal: style.Terminal{Glyphs: g}})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		m.Update(ViewMsg{View: view.View{Status: view.Status{Project: "müll·projekt",
			State: view.State{Text: "● Executing"}},
			Panes: []view.Pane{{Slot: "executor", Title: view.Title{Number: 2, Name: "executor"}, Living: true,
				Terminal: agent}}}})
		v := m.View()
		for _, r := range ansi.Strip(v.Content) + v.WindowTitle {
			if r != '\n' && r >= 0x80 && !g.Has(r) {
				t.Errorf("set %d: %q (%U) is in the frame", g, r, r)
			}
		}
		for i, line := range strings.Split(v.Content, "\n") {
			if text.Width(line) != 120 {
				t.Errorf("set %d: line %d is %d wide: %q", g, i, text.Width(line), line)
			}
		}
	}
}
